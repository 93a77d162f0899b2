package djvu

import "math/bits"

// A zpDecoder decodes bits of the ZP coder of DjVu. Each bit has a context: a byte with the
// index of its state and, in the lowest bit, the more likely value.
type zpDecoder struct {
	data  []byte
	at    int    // bytes consumed, including virtual 0xFF bytes after the end
	room  uint32 // lower part of the interval that is left
	code  uint32
	queue uint32 // bits that are read but not consumed
	count uint   // number of bits in queue
}

func newZP(data []byte) *zpDecoder {
	z := &zpDecoder{data: data}
	z.code = uint32(z.next())<<8 | uint32(z.next())
	return z
}

func (z *zpDecoder) next() byte {
	z.at++
	if z.at > len(z.data) {
		return 0xFF
	}
	return z.data[z.at-1]
}

// pastEnd is the maximum number of bytes read after the end: an encoder omits trailing 0xFF
// bytes.
const pastEnd = 64

// ended reports whether more data is required than there is.
func (z *zpDecoder) ended() bool { return z.at > len(z.data)+pastEnd }

// shift consumes n more bits.
func (z *zpDecoder) shift(n uint) {
	for z.count < n {
		z.queue, z.count = z.queue<<8|uint32(z.next()), z.count+8
	}
	z.count -= n
	z.room = z.room << n & 0xFFFF
	z.code = z.code<<n&0xFFFF | z.queue>>z.count&(1<<n-1)
}

// unlikely selects the part of the interval above split.
func (z *zpDecoder) unlikely(split uint32) {
	z.room += 0x10000 - split
	z.code += 0x10000 - split
	z.shift(uint(bits.LeadingZeros16(^uint16(z.room))))
}

func (z *zpDecoder) bit(context *byte) int {
	s, mostly := &states[*context], int(*context&1)
	split := z.room + uint32(s.width)
	split = min(split, 0x6000+(split+z.room)>>2)
	if split > z.code {
		*context = s.down
		z.unlikely(split)
		return 1 - mostly
	}
	if split >= 0x8000 {
		if z.room >= uint32(s.limit) {
			*context = s.up
		}
		z.room = split
		z.shift(1)
	} else {
		z.room = split
	}
	return mostly
}

// even decodes a bit without a context.
func (z *zpDecoder) even() int {
	split := 0x8000 + z.room>>1
	if split > z.code {
		z.unlikely(split)
		return 1
	}
	z.room = split
	z.shift(1)
	return 0
}

// A state is an entry of the probability table: the share of the interval for the less likely
// bit, the threshold of the more likely bit for adaptation, and the next states.
type state struct {
	width, limit uint16
	up, down     byte
}

// states is the table that the format defines: 83 states of fast and slow adaptation, then
// those of new contexts.
var states = [256]state{
	{0x8000, 0, 84, 145}, {0x8000, 0, 3, 4}, {0x8000, 0, 4, 3}, {0x6bbd, 0x10a5, 5, 1}, {0x6bbd, 0x10a5, 6, 2}, {0x5d45, 0x1f28, 7, 3},
	{0x5d45, 0x1f28, 8, 4}, {0x51b9, 0x2bd3, 9, 5}, {0x51b9, 0x2bd3, 10, 6}, {0x4813, 0x36e3, 11, 7}, {0x4813, 0x36e3, 12, 8}, {0x3fd5, 0x408c, 13, 9},
	{0x3fd5, 0x408c, 14, 10}, {0x38b1, 0x48fd, 15, 11}, {0x38b1, 0x48fd, 16, 12}, {0x3275, 0x505d, 17, 13}, {0x3275, 0x505d, 18, 14}, {0x2cfd, 0x56d0, 19, 15},
	{0x2cfd, 0x56d0, 20, 16}, {0x2825, 0x5c71, 21, 17}, {0x2825, 0x5c71, 22, 18}, {0x23ab, 0x615b, 23, 19}, {0x23ab, 0x615b, 24, 20}, {0x1f87, 0x65a5, 25, 21},
	{0x1f87, 0x65a5, 26, 22}, {0x1bbb, 0x6962, 27, 23}, {0x1bbb, 0x6962, 28, 24}, {0x1845, 0x6ca2, 29, 25}, {0x1845, 0x6ca2, 30, 26}, {0x1523, 0x6f74, 31, 27},
	{0x1523, 0x6f74, 32, 28}, {0x1253, 0x71e6, 33, 29}, {0x1253, 0x71e6, 34, 30}, {0x0fcf, 0x7404, 35, 31}, {0x0fcf, 0x7404, 36, 32}, {0x0d95, 0x75d6, 37, 33},
	{0x0d95, 0x75d6, 38, 34}, {0x0b9d, 0x7768, 39, 35}, {0x0b9d, 0x7768, 40, 36}, {0x09e3, 0x78c2, 41, 37}, {0x09e3, 0x78c2, 42, 38}, {0x0861, 0x79ea, 43, 39},
	{0x0861, 0x79ea, 44, 40}, {0x0711, 0x7ae7, 45, 41}, {0x0711, 0x7ae7, 46, 42}, {0x05f1, 0x7bbe, 47, 43}, {0x05f1, 0x7bbe, 48, 44}, {0x04f9, 0x7c75, 49, 45},
	{0x04f9, 0x7c75, 50, 46}, {0x0425, 0x7d0f, 51, 47}, {0x0425, 0x7d0f, 52, 48}, {0x0371, 0x7d91, 53, 49}, {0x0371, 0x7d91, 54, 50}, {0x02d9, 0x7dfe, 55, 51},
	{0x02d9, 0x7dfe, 56, 52}, {0x0259, 0x7e5a, 57, 53}, {0x0259, 0x7e5a, 58, 54}, {0x01ed, 0x7ea6, 59, 55}, {0x01ed, 0x7ea6, 60, 56}, {0x0193, 0x7ee6, 61, 57},
	{0x0193, 0x7ee6, 62, 58}, {0x0149, 0x7f1a, 63, 59}, {0x0149, 0x7f1a, 64, 60}, {0x010b, 0x7f45, 65, 61}, {0x010b, 0x7f45, 66, 62}, {0x00d5, 0x7f6b, 67, 63},
	{0x00d5, 0x7f6b, 68, 64}, {0x00a5, 0x7f8d, 69, 65}, {0x00a5, 0x7f8d, 70, 66}, {0x007b, 0x7faa, 71, 67}, {0x007b, 0x7faa, 72, 68}, {0x0057, 0x7fc3, 73, 69},
	{0x0057, 0x7fc3, 74, 70}, {0x003b, 0x7fd7, 75, 71}, {0x003b, 0x7fd7, 76, 72}, {0x0023, 0x7fe7, 77, 73}, {0x0023, 0x7fe7, 78, 74}, {0x0013, 0x7ff2, 79, 75},
	{0x0013, 0x7ff2, 80, 76}, {0x0007, 0x7ffa, 81, 77}, {0x0007, 0x7ffa, 82, 78}, {0x0001, 0x7fff, 81, 79}, {0x0001, 0x7fff, 82, 80}, {0x5695, 0, 9, 85},
	{0x24ee, 0, 86, 226}, {0x8000, 0, 5, 6}, {0x0d30, 0, 88, 176}, {0x481a, 0, 89, 143}, {0x0481, 0, 90, 138}, {0x3579, 0, 91, 141},
	{0x017a, 0, 92, 112}, {0x24ef, 0, 93, 135}, {0x007b, 0, 94, 104}, {0x1978, 0, 95, 133}, {0x0028, 0, 96, 100}, {0x10ca, 0, 97, 129},
	{0x000d, 0, 82, 98}, {0x0b5d, 0, 99, 127}, {0x0034, 0, 76, 72}, {0x078a, 0, 101, 125}, {0x00a0, 0, 70, 102}, {0x050f, 0, 103, 123},
	{0x0117, 0, 66, 60}, {0x0358, 0, 105, 121}, {0x01ea, 0, 106, 110}, {0x0234, 0, 107, 119}, {0x0144, 0, 66, 108}, {0x0173, 0, 109, 117},
	{0x0234, 0, 60, 54}, {0x00f5, 0, 111, 115}, {0x0353, 0, 56, 48}, {0x00a1, 0, 69, 113}, {0x05c5, 0, 114, 134}, {0x011a, 0, 65, 59},
	{0x03cf, 0, 116, 132}, {0x01aa, 0, 61, 55}, {0x0285, 0, 118, 130}, {0x0286, 0, 57, 51}, {0x01ab, 0, 120, 128}, {0x03d3, 0, 53, 47},
	{0x011a, 0, 122, 126}, {0x05c5, 0, 49, 41}, {0x00ba, 0, 124, 62}, {0x08ad, 0, 43, 37}, {0x007a, 0, 72, 66}, {0x0ccc, 0, 39, 31},
	{0x01eb, 0, 60, 54}, {0x1302, 0, 33, 25}, {0x02e6, 0, 56, 50}, {0x1b81, 0, 29, 131}, {0x045e, 0, 52, 46}, {0x24ef, 0, 23, 17},
	{0x0690, 0, 48, 40}, {0x2865, 0, 23, 15}, {0x09de, 0, 42, 136}, {0x3987, 0, 137, 7}, {0x0dc8, 0, 38, 32}, {0x2c99, 0, 21, 139},
	{0x10ca, 0, 140, 172}, {0x3b5f, 0, 15, 9}, {0x0b5d, 0, 142, 170}, {0x5695, 0, 9, 85}, {0x078a, 0, 144, 168}, {0x8000, 0, 141, 248},
	{0x050f, 0, 146, 166}, {0x24ee, 0, 147, 247}, {0x0358, 0, 148, 164}, {0x0d30, 0, 149, 197}, {0x0234, 0, 150, 162}, {0x0481, 0, 151, 95},
	{0x0173, 0, 152, 160}, {0x017a, 0, 153, 173}, {0x00f5, 0, 154, 158}, {0x007b, 0, 155, 165}, {0x00a1, 0, 70, 156}, {0x0028, 0, 157, 161},
	{0x011a, 0, 66, 60}, {0x000d, 0, 81, 159}, {0x01aa, 0, 62, 56}, {0x0034, 0, 75, 71}, {0x0286, 0, 58, 52}, {0x00a0, 0, 69, 163},
	{0x03d3, 0, 54, 48}, {0x0117, 0, 65, 59}, {0x05c5, 0, 50, 42}, {0x01ea, 0, 167, 171}, {0x08ad, 0, 44, 38}, {0x0144, 0, 65, 169},
	{0x0ccc, 0, 40, 32}, {0x0234, 0, 59, 53}, {0x1302, 0, 34, 26}, {0x0353, 0, 55, 47}, {0x1b81, 0, 30, 174}, {0x05c5, 0, 175, 193},
	{0x24ef, 0, 24, 18}, {0x03cf, 0, 177, 191}, {0x2b74, 0, 178, 222}, {0x0285, 0, 179, 189}, {0x201d, 0, 180, 218}, {0x01ab, 0, 181, 187},
	{0x1715, 0, 182, 216}, {0x011a, 0, 183, 185}, {0x0fb7, 0, 184, 214}, {0x00ba, 0, 69, 61}, {0x0a67, 0, 186, 212}, {0x01eb, 0, 59, 53},
	{0x06e7, 0, 188, 210}, {0x02e6, 0, 55, 49}, {0x0496, 0, 190, 208}, {0x045e, 0, 51, 45}, {0x030d, 0, 192, 206}, {0x0690, 0, 47, 39},
	{0x0206, 0, 194, 204}, {0x09de, 0, 41, 195}, {0x0155, 0, 196, 202}, {0x0dc8, 0, 37, 31}, {0x00e1, 0, 198, 200}, {0x2b74, 0, 199, 243},
	{0x0094, 0, 72, 64}, {0x201d, 0, 201, 239}, {0x0188, 0, 62, 56}, {0x1715, 0, 203, 237}, {0x0252, 0, 58, 52}, {0x0fb7, 0, 205, 235},
	{0x0383, 0, 54, 48}, {0x0a67, 0, 207, 233}, {0x0547, 0, 50, 44}, {0x06e7, 0, 209, 231}, {0x07e2, 0, 46, 38}, {0x0496, 0, 211, 229},
	{0x0bc0, 0, 40, 34}, {0x030d, 0, 213, 227}, {0x1178, 0, 36, 28}, {0x0206, 0, 215, 225}, {0x19da, 0, 30, 22}, {0x0155, 0, 217, 223},
	{0x24ef, 0, 26, 16}, {0x00e1, 0, 219, 221}, {0x320e, 0, 20, 220}, {0x0094, 0, 71, 63}, {0x432a, 0, 14, 8}, {0x0188, 0, 61, 55},
	{0x447d, 0, 14, 224}, {0x0252, 0, 57, 51}, {0x5ece, 0, 8, 2}, {0x0383, 0, 53, 47}, {0x8000, 0, 228, 87}, {0x0547, 0, 49, 43},
	{0x481a, 0, 230, 246}, {0x07e2, 0, 45, 37}, {0x3579, 0, 232, 244}, {0x0bc0, 0, 39, 33}, {0x24ef, 0, 234, 238}, {0x1178, 0, 35, 27},
	{0x1978, 0, 138, 236}, {0x19da, 0, 29, 21}, {0x2865, 0, 24, 16}, {0x24ef, 0, 25, 15}, {0x3987, 0, 240, 8}, {0x320e, 0, 19, 241},
	{0x2c99, 0, 22, 242}, {0x432a, 0, 13, 7}, {0x3b5f, 0, 16, 10}, {0x447d, 0, 13, 245}, {0x5695, 0, 10, 2}, {0x5ece, 0, 7, 1},
	{0x8000, 0, 244, 83}, {0x8000, 0, 249, 250}, {0x5695, 0, 10, 2}, {0x481a, 0, 89, 143}, {0x481a, 0, 230, 246},
}
