package parquet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	writer "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	pf "github.com/parquet-go/parquet-go/format"

	"github.com/otisk/otisk/document/container/parquet"
	"github.com/otisk/otisk/document/format"
)

// read returns the rows of a file: its values with their columns, "0:text 2:12".
func read(data []byte) (rows []string, err error) {
	f, err := parquet.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	var row []string
	err = f.Each(func(int) bool { return true }, func(i int, v []byte) {
		row = append(row, fmt.Sprintf("%d:%q", i, f.Columns[i].Text(v)))
	}, func() error {
		rows = append(rows, strings.Join(row, " "))
		row = nil
		return nil
	})
	return rows, err
}

// A maker makes random schemas and rows.
type maker struct {
	*rand.Rand
	leaves int // columns of the row so far
}

// leaf returns a column with an encoding that it allows.
func (m *maker) leaf() writer.Node {
	kinds := []writer.Node{
		writer.Leaf(writer.BooleanType), writer.Leaf(writer.Int32Type), writer.Leaf(writer.Int64Type), writer.Leaf(writer.Int96Type),
		writer.Leaf(writer.FloatType), writer.Leaf(writer.DoubleType), writer.String(), writer.Leaf(writer.ByteArrayType),
		writer.Leaf(writer.FixedLenByteArrayType(1 + m.IntN(20))), writer.UUID(), writer.Date(), writer.Timestamp(writer.Microsecond),
		writer.Uint(32), writer.Uint(64), writer.Int(8), writer.Decimal(2, 12, writer.Int64Type), writer.JSON(), writer.Time(writer.Millisecond),
	}
	node := kinds[m.IntN(len(kinds))]
	var fitting []encoding.Encoding
	for _, e := range []encoding.Encoding{&writer.Plain, &writer.RLEDictionary, &writer.RLE, &writer.DeltaBinaryPacked, &writer.DeltaLengthByteArray, &writer.DeltaByteArray, &writer.ByteStreamSplit} {
		if fits(e, node.Type().Kind()) {
			fitting = append(fitting, e)
		}
	}
	node = writer.Encoded(node, fitting[m.IntN(len(fitting))])
	codecs := []compress.Codec{&writer.Uncompressed, &writer.Snappy, &writer.Gzip, &writer.Brotli, &writer.Zstd, &writer.Lz4Raw}
	return writer.Compressed(node, codecs[m.IntN(len(codecs))])
}

// fits reports whether the writer can write values of a kind in an encoding.
func fits(e encoding.Encoding, kind writer.Kind) bool {
	switch e.Encoding() {
	case pf.RLE:
		return kind == writer.Boolean
	case pf.RLEDictionary:
		return kind != writer.Boolean
	case pf.DeltaBinaryPacked:
		return kind == writer.Int32 || kind == writer.Int64
	case pf.DeltaLengthByteArray:
		return kind == writer.ByteArray
	case pf.DeltaByteArray:
		return kind == writer.ByteArray || kind == writer.FixedLenByteArray
	case pf.ByteStreamSplit:
		return kind == writer.Float || kind == writer.Double
	}
	return true
}

// node returns a column or a group of columns.
func (m *maker) node(depth int) (n writer.Node) {
	switch kind := m.IntN(8); {
	case depth > 3 || kind < 4:
		n = m.leaf()
	case kind == 4:
		n = writer.List(m.node(depth + 1))
	case kind == 5:
		n = writer.Map(writer.String(), m.node(depth+1))
	default:
		n = m.group(depth + 1)
	}
	switch m.IntN(4) {
	case 0:
		n = writer.Optional(n)
	case 1:
		n = writer.Repeated(n)
	}
	return n
}

func (m *maker) group(depth int) writer.Group {
	g := writer.Group{}
	for i := range 1 + m.IntN(4) {
		g[fmt.Sprint("c", i)] = m.node(depth)
	}
	return g
}

// whole returns a row in the order of columns.
func (m *maker) whole(n writer.Node) writer.Row {
	m.leaves = 0
	row := m.row(nil, n, 0, 0, 0)
	slices.SortStableFunc(row, func(a, b writer.Value) int { return a.Column() - b.Column() })
	return row
}

// row appends the values of a node in a row, in the columns after those so far.
func (m *maker) row(row writer.Row, n writer.Node, rep, def, depth int) writer.Row {
	count := 1
	switch {
	case n.Optional():
		count = min(m.IntN(4), 1)
	case n.Repeated():
		count = max(m.IntN(8)-3, 0)
	}
	if count == 0 {
		return m.nulls(row, n, rep, def)
	}
	if !n.Required() {
		def++
	}
	if n.Repeated() {
		depth++
	}
	first := m.leaves
	for i := range count {
		if m.leaves = first; i > 0 {
			rep = depth
		}
		if n.Leaf() {
			row = append(row, m.value(n.Type()).Level(rep, def, m.leaves))
			m.leaves++
			continue
		}
		for _, f := range n.Fields() {
			row = m.row(row, f, rep, def, depth)
		}
	}
	return row
}

// nulls appends a null for each column of a node.
func (m *maker) nulls(row writer.Row, n writer.Node, rep, def int) writer.Row {
	if n.Leaf() {
		m.leaves++
		return append(row, writer.NullValue().Level(rep, def, m.leaves-1))
	}
	for _, f := range n.Fields() {
		row = m.nulls(row, f, rep, def)
	}
	return row
}

func (m *maker) value(t writer.Type) writer.Value {
	n := m.Int64() >> m.IntN(64)
	switch t.Kind() {
	case writer.Boolean:
		return writer.BooleanValue(n%2 == 0)
	case writer.Int32:
		return writer.Int32Value(int32(n))
	case writer.Int64:
		return writer.Int64Value(n)
	case writer.Int96:
		return writer.Int96Value(deprecated.Int96{uint32(n), uint32(n>>32) & 0xfff, 2440000 + uint32(m.IntN(20000))})
	case writer.Float:
		return writer.FloatValue(float32(n) / 7)
	case writer.Double:
		return writer.DoubleValue(float64(n) / 7)
	case writer.FixedLenByteArray:
		return writer.FixedLenByteArrayValue(bytes.Repeat([]byte{byte(n)}, t.Length()))
	}
	return writer.ByteArrayValue([]byte(strings.Repeat("žlutý kůň ", m.IntN(4)) + fmt.Sprint(n)[m.IntN(2):]))
}

// wanted returns a row as [read] does.
func wanted(schema *writer.Schema, row writer.Row) string {
	var values []string
	for _, v := range row {
		if v.IsNull() {
			continue
		}
		leaf, _ := schema.Lookup(schema.Columns()[v.Column()]...)
		text := v.String()
		kind := leaf.Node.Type().LogicalType()
		switch {
		case v.Kind() == writer.Int96:
			at := v.Int96()
			text = time.Unix((int64(at[2])-2440588)*86400, int64(at[1])<<32|int64(at[0])).UTC().Format(time.RFC3339)
		case kind != nil && fmt.Sprint(kind) == "INT(32,false)":
			text = fmt.Sprint(uint32(v.Int32()))
		case kind != nil && fmt.Sprint(kind) == "INT(64,false)":
			text = fmt.Sprint(uint64(v.Int64()))
		}
		values = append(values, fmt.Sprintf("%d:%q", v.Column(), text))
	}
	return strings.Join(values, " ")
}

// TestRandom reads files of random schemas that another library wrote.
func TestRandom(t *testing.T) {
	for seed := range uint64(60) {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, 0))}
		schema := writer.NewSchema("file", m.group(0))
		var b bytes.Buffer
		w := writer.NewWriter(&b, schema, writer.DataPageVersion(1+m.IntN(2)), writer.PageBufferSize(1<<m.IntN(14)), writer.MaxRowsPerRowGroup(1+m.Int64N(300)))
		var want []string
		for range []int{0, 1, 2, 33, 200, 700}[m.IntN(6)] {
			row := m.whole(schema)
			want = append(want, wanted(schema, row))
			if _, err := w.WriteRows([]writer.Row{row}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := read(b.Bytes())
		if err != nil || !slices.Equal(got, want) {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Fatalf("seed %d: %d rows, want %d, %v; row %d is\n%.500s, want\n%.500s\n%s", seed, len(got), len(want), err, at, append(got, "")[min(at, len(got))], append(want, "")[min(at, len(want))], schema)
		}
	}
}

// TestColumns finds the names and kinds of columns.
func TestColumns(t *testing.T) {
	var b bytes.Buffer
	if err := writer.Write(&b, []struct {
		ID   string    `parquet:"id"`
		List []string  `parquet:"list,list"`
		Born int32     `parquet:"born,date"`
		Seen time.Time `parquet:"seen,timestamp(millisecond)"`
		Who  *struct {
			Name string `parquet:"name"`
		} `parquet:"who,optional"`
	}{{Seen: time.Unix(1e9, 0), Born: -1}}); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got, labels []string
	for _, c := range f.Columns {
		got = append(got, fmt.Sprint(c.Name, " ", c.Kind, " ", c.Repeated, " ", c.Unit))
	}
	if want := "id 6 false 0s, list 6 true 0s, born 1 false 24h0m0s, seen 2 false 1ms, who.name 6 false 0s"; strings.Join(got, ", ") != want {
		t.Errorf("columns %q, want %q", got, want)
	}
	err = f.Each(func(i int) bool { return i != 0 }, func(i int, v []byte) { labels = append(labels, f.Columns[i].Label(v)) }, func() error { return nil })
	if want := []string{"1969-12-31", "2001-09-09T01:46:40Z"}; err != nil || !slices.Equal(labels, want) {
		t.Errorf("labels %q, %v, want %q", labels, err, want)
	}
}

// one is a row of the files that are changed.
type one struct {
	Text *string `parquet:"text,optional"`
}

// small returns a file with one column of texts and nulls, in one page.
func small(t testing.TB, rows int, options ...writer.WriterOption) []byte {
	t.Helper()
	var list []one
	for i := range rows {
		text := fmt.Sprint("text ", i)
		if list = append(list, one{&text}); i%3 == 1 {
			list[i].Text = nil
		}
	}
	var b bytes.Buffer
	if err := writer.Write(&b, list, options...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// changed returns a file with a changed footer.
func changed(t testing.TB, data []byte, change func(*pf.FileMetaData)) []byte {
	t.Helper()
	end := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	var footer pf.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), data[end:len(data)-8], &footer); err != nil {
		t.Fatal(err)
	}
	change(&footer)
	made, err := thrift.Marshal(new(thrift.CompactProtocol), footer)
	if err != nil {
		t.Fatal(err)
	}
	out := append(slices.Clone(data[:end]), made...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(made))), parquet.Magic...)
}

// changedPage returns a file with a changed first page, which starts after the magic.
func changedPage(t testing.TB, data []byte, change func(header *pf.PageHeader, body []byte) []byte) []byte {
	t.Helper()
	from := thrift.CompactProtocol{}
	r := from.NewReaderFromBytes(data[4:])
	var header pf.PageHeader
	if err := thrift.NewDecoder(r).Decode(&header); err != nil {
		t.Fatal(err)
	}
	body := data[4+r.BytesRead():]
	body, rest := body[:header.CompressedPageSize], body[header.CompressedPageSize:]
	header.CRC = 0
	body = change(&header, slices.Clone(body))
	made, err := thrift.Marshal(&from, header)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(data[:4], made, body, rest)
}

// TestBitPacked reads levels in the encoding that only old writers used.
func TestBitPacked(t *testing.T) {
	data := small(t, 10, writer.DataPageVersion(1), writer.Compression(&writer.Uncompressed))
	want, err := read(data)
	if err != nil || len(want) != 10 || want[1] != "" || want[3] != `0:"text 3"` {
		t.Fatalf("read %q, %v", want, err)
	}
	data = changedPage(t, data, func(header *pf.PageHeader, body []byte) []byte {
		header.DataPageHeader.V.DefinitionLevelEncoding = pf.BitPacked
		body = append([]byte{0b10110110, 0b11000000}, body[4+binary.LittleEndian.Uint32(body):]...)
		header.CompressedPageSize, header.UncompressedPageSize = int32(len(body)), int32(len(body))
		return body
	})
	if got, err := read(data); err != nil || !slices.Equal(got, want) {
		t.Errorf("read %q, %v, want %q", got, err, want)
	}
}

// TestRefused reads files that state what is not true or not supported: they are refused, by
// the error that the caller reports, and take little memory.
func TestRefused(t *testing.T) {
	data := small(t, 10, writer.DataPageVersion(1), writer.Compression(&writer.Zstd))
	plain := small(t, 10, writer.DataPageVersion(2), writer.Compression(&writer.Uncompressed))
	large := small(t, 5000, writer.Compression(&writer.Uncompressed))
	column := func(f *pf.FileMetaData) *pf.ColumnChunk { return &f.RowGroups[0].Columns[0] }
	page := func(change func(header *pf.PageHeader)) []byte {
		return changedPage(t, data, func(header *pf.PageHeader, body []byte) []byte {
			change(header)
			return body
		})
	}
	footer := func(change func(*pf.FileMetaData)) []byte { return changed(t, data, change) }
	for name, tt := range map[string]struct {
		data []byte
		want error
		says string
	}{
		"codec":         {footer(func(f *pf.FileMetaData) { column(f).MetaData.Codec = pf.LZO }), format.ErrBinary, "after row 0: column text: not text: LZO is not supported"},
		"unknown codec": {footer(func(f *pf.FileMetaData) { column(f).MetaData.Codec = 77 }), format.ErrBinary, "codec 77"},
		"encoding":      {page(func(h *pf.PageHeader) { h.DataPageHeader.V.Encoding = 33 }), format.ErrBinary, "encoding 33"},
		"type":          {footer(func(f *pf.FileMetaData) { f.Schema[1].Type.V = 12 }), format.ErrBinary, "type 12"},
		"encrypted":     {footer(func(f *pf.FileMetaData) { column(f).CryptoMetadata.Value = &pf.EncryptionWithFooterKey{} }), format.ErrEncrypted, "text"},
		"footer":        {append(slices.Clone(data[:len(data)-4]), "PARE"...), format.ErrEncrypted, ""},
		"cut":           {data[:len(data)-1], format.ErrDamaged, "footer"},
		"rows":          {footer(func(f *pf.FileMetaData) { f.RowGroups[0].NumRows = 1 << 60 }), format.ErrDamaged, "after row 10"},
		"fewer rows":    {footer(func(f *pf.FileMetaData) { f.RowGroups[0].NumRows = 9 }), format.ErrDamaged, "after row 9"},
		"offset":        {footer(func(f *pf.FileMetaData) { column(f).MetaData.DataPageOffset = math.MaxInt64 }), format.ErrDamaged, "column text"},
		"children":      {footer(func(f *pf.FileMetaData) { f.Schema[0].NumChildren.V = math.MaxInt32 }), format.ErrDamaged, "footer"},
		"memory":        {changedPage(t, large, func(h *pf.PageHeader, body []byte) []byte { h.UncompressedPageSize = math.MaxInt32; return body }), format.ErrTooLarge, "memory"},
		"size":          {page(func(h *pf.PageHeader) { h.UncompressedPageSize = 900 << 20 }), format.ErrTooLarge, "memory"},
		"smaller":       {page(func(h *pf.PageHeader) { h.UncompressedPageSize = 3 }), format.ErrDamaged, "column text"},
		"packed":        {page(func(h *pf.PageHeader) { h.CompressedPageSize = math.MaxInt32 }), format.ErrDamaged, "inconsistent"},
		"values":        {page(func(h *pf.PageHeader) { h.DataPageHeader.V.NumValues = 5 }), format.ErrDamaged, ""},
		"many values":   {page(func(h *pf.PageHeader) { h.DataPageHeader.V.NumValues = math.MaxInt32 }), format.ErrDamaged, ""},
		"checksum":      {page(func(h *pf.PageHeader) { h.CRC = 1 }), format.ErrDamaged, "checksum"},
		"levels": {changedPage(t, plain, func(h *pf.PageHeader, body []byte) []byte {
			h.DataPageHeaderV2.V.DefinitionLevelsByteLength = 1 << 30
			return body
		}), format.ErrDamaged, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := parquet.Open(bytes.NewReader(tt.data), int64(len(tt.data)))
			if err == nil {
				err = f.Each(func(int) bool { return true }, func(int, []byte) {}, func() error { return nil })
			}
			runtime.ReadMemStats(&after)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %v with %q", err, tt.want, tt.says)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20+4*uint64(len(tt.data)) {
				t.Errorf("reading %d bytes took %d bytes of memory", len(tt.data), took)
			}
		})
	}
}

// TestExpanded: a file whose groups of rows share a page is read only up to a limit.
func TestExpanded(t *testing.T) {
	type row struct {
		Text string `parquet:"text,zstd"`
	}
	var b bytes.Buffer
	if err := writer.Write(&b, []row{{strings.Repeat("a", 1<<20)}}, writer.SkipPageBounds("text"), writer.SkipPageStatistics("text")); err != nil {
		t.Fatal(err)
	}
	data := changed(t, b.Bytes(), func(f *pf.FileMetaData) {
		f.RowGroups[0].Columns[0].MetaData.Statistics = pf.Statistics{}
		f.RowGroups = slices.Repeat(f.RowGroups, 1200)
	})
	if len(data) > 1<<18 {
		t.Fatalf("the file has %d bytes of %d", len(data), b.Len())
	}
	rows := 0
	f, err := parquet.Open(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		err = f.Each(func(int) bool { return true }, func(int, []byte) {}, func() error { rows++; return nil })
	}
	if !errors.Is(err, format.ErrTooLarge) || rows != 127 {
		t.Errorf("%d rows, %v, want 127 and too large", rows, err)
	}
}

// FuzzParquet: no file causes a panic.
func FuzzParquet(f *testing.F) {
	for version := range 2 {
		for _, codec := range []compress.Codec{&writer.Uncompressed, &writer.Lz4Raw} {
			f.Add(small(f, 10, writer.DataPageVersion(version+1), writer.Compression(codec)))
		}
	}
	for seed := range uint64(10) {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, 1))}
		schema := writer.NewSchema("file", m.group(2))
		var b bytes.Buffer
		w := writer.NewWriter(&b, schema, writer.DataPageStatistics(false))
		for range 5 {
			if _, err := w.WriteRows([]writer.Row{m.whole(schema)}); err != nil {
				f.Fatal(err)
			}
		}
		_ = w.Close()
		f.Add(b.Bytes())
	}
	enough := errors.New("enough")
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parquet.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		n := 0
		err = file.Each(func(int) bool { return true }, func(i int, v []byte) {
			file.Columns[i].Text(v)
			file.Columns[i].Label(v)
		}, func() error {
			if n++; n > 1000 {
				return enough
			}
			return nil
		})
		if err != nil && err != enough && !errors.Is(err, format.ErrDamaged) && !errors.Is(err, format.ErrTooLarge) && !errors.Is(err, format.ErrBinary) && !errors.Is(err, format.ErrEncrypted) {
			t.Error(err)
		}
	})
}
