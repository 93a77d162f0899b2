package pdf

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"
)

// A call of the engine takes 0.1 µs if its function is already looked up, its arguments are
// written to one stack, and results by pointer use one scratch area. A page takes some
// thousand calls.

// A function is an exported function of the engine.
type function int

const (
	fnInit function = iota
	fnMalloc
	fnFree
	fnLoadDocument
	fnLastError
	fnPageCount
	fnMetaText
	fnLoadPage
	fnClosePage
	fnPageWidth
	fnPageHeight
	fnSetRotation
	fnGetRotation
	fnBoundingBox
	fnMediaBox
	fnTextLoadPage
	fnTextClosePage
	fnCountChars
	fnGetText
	fnUnicode
	fnGenerated
	fnCharIndex
	fnFontSize
	fnMatrix
	fnLooseBox
	fnCharBox
	fnOrigin
	fnTextObject
	fnTextColor
	fnCountObjects
	fnObject
	fnObjectKind
	fnObjectBounds
	fnObjectColor
	fnStrokeColor
	fnDashes
	fnObjectMatrix
	fnObjectActive
	fnDrawMode
	fnSegments
	fnTransparent
	fnPixelSize
	fnPictureData
	fnClip
	fnClipCount
	fnClipSegments
	fnClipSegment
	fnSegmentPoint
	fnFormCount
	fnFormObject
	fnRenderMode
	fnTextFont
	fnFontName
	fnFontEmbedded
	fnFontData
	fnGlyphPath
	fnGlyphSegments
	fnMarkCount
	fnMark
	fnMarkName
	fnMarkText
	fnMarkBlob
	fnMarkRemove
	fnObjectFontSize
	fnBitmapCreate
	fnBitmapCreateAs
	fnBitmapFill
	fnBitmapBuffer
	fnBitmapStride
	fnBitmapDestroy
	fnRender
	fnFlatten
	fnBoundedText
	fnAnnotCount
	fnAnnot
	fnAnnotClose
	fnAnnotKind
	fnAnnotFlags
	fnAnnotRect
	fnAnnotText
	fnAnnotLook
	fnFieldKind
	fnFieldValue
	fnFormInit
	fnPacketCount
	fnPacketName
	fnPacketContent
	fnAttachedCount
	fnAttached
	fnAttachedName
	fnAttachedData
	fnPageLabel
	fnPageToDevice
	functions
)

var functionNames = [functions]string{
	fnInit: "FPDF_InitLibrary", fnMalloc: "malloc", fnFree: "free",
	fnLoadDocument: "FPDF_LoadMemDocument", fnLastError: "FPDF_GetLastError", fnPageCount: "FPDF_GetPageCount", fnMetaText: "FPDF_GetMetaText",
	fnLoadPage: "FPDF_LoadPage", fnClosePage: "FPDF_ClosePage", fnPageWidth: "FPDF_GetPageWidthF", fnPageHeight: "FPDF_GetPageHeightF", fnSetRotation: "FPDFPage_SetRotation", fnGetRotation: "FPDFPage_GetRotation",
	fnBoundingBox: "FPDF_GetPageBoundingBox", fnMediaBox: "FPDFPage_GetMediaBox",
	fnTextLoadPage: "FPDFText_LoadPage", fnTextClosePage: "FPDFText_ClosePage", fnCountChars: "FPDFText_CountChars", fnGetText: "FPDFText_GetText",
	fnUnicode: "FPDFText_GetUnicode", fnGenerated: "FPDFText_IsGenerated", fnCharIndex: "FPDFText_GetCharIndexFromTextIndex", fnFontSize: "FPDFText_GetFontSize", fnMatrix: "FPDFText_GetMatrix",
	fnLooseBox: "FPDFText_GetLooseCharBox", fnCharBox: "FPDFText_GetCharBox", fnOrigin: "FPDFText_GetCharOrigin",
	fnTextObject: "FPDFText_GetTextObject", fnTextColor: "FPDFText_GetFillColor",
	fnCountObjects: "FPDFPage_CountObjects", fnObject: "FPDFPage_GetObject", fnObjectKind: "FPDFPageObj_GetType", fnObjectBounds: "FPDFPageObj_GetBounds",
	fnObjectColor: "FPDFPageObj_GetFillColor", fnStrokeColor: "FPDFPageObj_GetStrokeColor", fnDashes: "FPDFPageObj_GetDashCount", fnObjectMatrix: "FPDFPageObj_GetMatrix", fnObjectActive: "FPDFPageObj_SetIsActive",
	fnFormCount: "FPDFFormObj_CountObjects", fnFormObject: "FPDFFormObj_GetObject",
	fnSegments: "FPDFPath_CountSegments", fnTransparent: "FPDFPageObj_HasTransparency", fnPixelSize: "FPDFImageObj_GetImagePixelSize",
	fnPictureData: "FPDFImageObj_GetImageDataRaw",
	fnDrawMode:    "FPDFPath_GetDrawMode", fnClip: "FPDFPageObj_GetClipPath", fnClipCount: "FPDFClipPath_CountPaths",
	fnClipSegments: "FPDFClipPath_CountPathSegments", fnClipSegment: "FPDFClipPath_GetPathSegment", fnSegmentPoint: "FPDFPathSegment_GetPoint",
	fnTextFont: "FPDFTextObj_GetFont", fnFontName: "FPDFFont_GetBaseFontName", fnFontEmbedded: "FPDFFont_GetIsEmbedded", fnFontData: "FPDFFont_GetFontData", fnGlyphPath: "FPDFFont_GetGlyphPath", fnGlyphSegments: "FPDFGlyphPath_CountGlyphSegments",
	fnRenderMode: "FPDFTextObj_GetTextRenderMode", fnObjectFontSize: "FPDFTextObj_GetFontSize",
	fnMarkCount: "FPDFPageObj_CountMarks", fnMark: "FPDFPageObj_GetMark", fnMarkName: "FPDFPageObjMark_GetName", fnMarkText: "FPDFPageObjMark_GetParamBlobValue",
	fnMarkBlob: "FPDFPageObjMark_SetBlobParam", fnMarkRemove: "FPDFPageObjMark_RemoveParam",
	fnBitmapCreate: "FPDFBitmap_Create", fnBitmapCreateAs: "FPDFBitmap_CreateEx", fnBitmapFill: "FPDFBitmap_FillRect", fnBitmapBuffer: "FPDFBitmap_GetBuffer",
	fnBitmapStride: "FPDFBitmap_GetStride", fnBitmapDestroy: "FPDFBitmap_Destroy", fnRender: "FPDF_RenderPageBitmap",
	fnFlatten: "FPDFPage_Flatten", fnBoundedText: "FPDFText_GetBoundedText",
	fnAnnotCount: "FPDFPage_GetAnnotCount", fnAnnot: "FPDFPage_GetAnnot", fnAnnotClose: "FPDFPage_CloseAnnot", fnAnnotKind: "FPDFAnnot_GetSubtype",
	fnAnnotFlags: "FPDFAnnot_GetFlags", fnAnnotRect: "FPDFAnnot_GetRect", fnAnnotText: "FPDFAnnot_GetStringValue", fnAnnotLook: "FPDFAnnot_GetAP",
	fnFieldKind: "FPDFAnnot_GetFormFieldType", fnFieldValue: "FPDFAnnot_GetFormFieldValue", fnFormInit: "FPDFDOC_InitFormFillEnvironment",
	fnPacketCount: "FPDF_GetXFAPacketCount", fnPacketName: "FPDF_GetXFAPacketName", fnPacketContent: "FPDF_GetXFAPacketContent",
	fnAttachedCount: "FPDFDoc_GetAttachmentCount", fnAttached: "FPDFDoc_GetAttachment", fnAttachedName: "FPDFAttachment_GetName", fnAttachedData: "FPDFAttachment_GetFile",
	fnPageLabel: "FPDF_GetPageLabel", fnPageToDevice: "FPDF_PageToDevice",
}

// A handle is an address in the engine's memory; 0 is the null handle.
type handle uint32

// A machine is an instance of the engine with one file.
type machine struct {
	module  api.Module
	found   [functions]api.Function
	stack   [10]uint64
	scratch handle // for results by pointer
	err     error  // of a call that trapped

	mu     sync.Mutex
	closed bool
}

// scratchSize is the size of a matrix, or of four 8-byte numbers, rounded up.
const scratchSize = 64

// start prepares the instance for a file.
func (m *machine) start() error {
	m.call(fnInit)
	m.scratch = m.malloc(scratchSize)
	return m.err
}

// call calls a function; it returns 0 if the function traps.
func (m *machine) call(f function, args ...uint64) uint64 {
	fn := m.found[f]
	if fn == nil {
		if fn = m.module.ExportedFunction(functionNames[f]); fn == nil {
			m.err = fmt.Errorf("%w: without %s", errModule, functionNames[f])
			return 0
		}
		m.found[f] = fn
	}
	clear(m.stack[copy(m.stack[:], args):])
	if err := fn.CallWithStack(context.Background(), m.stack[:]); err != nil {
		m.err = err
		return 0
	}
	return m.stack[0]
}

// handle calls a function that returns a handle.
func (m *machine) handle(f function, args ...uint64) handle { return handle(m.call(f, args...)) }

// int calls a function that returns a signed number.
func (m *machine) int(f function, args ...uint64) int { return int(int32(m.call(f, args...))) }

// ok calls a function that reports success.
func (m *machine) ok(f function, args ...uint64) bool { return uint32(m.call(f, args...)) != 0 }

// out returns the address for the n-th result of size bytes.
func (m *machine) out(size, n int) uint64 { return uint64(m.scratch) + uint64(size*n) }

// f32 and f64 return the n-th number that a function wrote, u32 an unsigned one.
func (m *machine) f32(n int) float64 { return float64(math.Float32frombits(uint32(m.u32(n)))) }

func (m *machine) f64(n int) float64 {
	v, _ := m.module.Memory().ReadUint64Le(uint32(m.out(8, n)))
	return math.Float64frombits(v)
}

func (m *machine) u32(n int) uint {
	v, _ := m.module.Memory().ReadUint32Le(uint32(m.out(4, n)))
	return uint(v)
}

// malloc allocates memory in the engine; 0 if there is none.
func (m *machine) malloc(size int) handle { return m.handle(fnMalloc, uint64(size)) }

func (m *machine) free(h handle) { m.call(fnFree, uint64(h)) }

// bytes returns the engine's memory at h, valid until the next call.
func (m *machine) bytes(h handle, size int) []byte {
	b, _ := m.module.Memory().Read(uint32(h), uint32(size))
	return b
}

// put copies data into the engine's memory.
func (m *machine) put(data []byte) handle {
	h := m.malloc(max(len(data), 1))
	if h != 0 {
		m.module.Memory().Write(uint32(h), data)
	}
	return h
}

// units16 returns UTF-16 units.
func (m *machine) units16(h handle, count int) []uint16 {
	data := m.bytes(h, 2*count)
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return units
}

// text16 calls a function that writes zero-terminated UTF-16 into a buffer and returns its
// size in bytes. It returns "" for a text of more than limit bytes.
func (m *machine) text16(limit int, f function, args ...uint64) string {
	size := m.int(f, append(args, 0, 0)...)
	if size <= 2 || size > limit {
		return ""
	}
	buf := m.malloc(size)
	defer m.free(buf)
	m.call(f, append(args, uint64(buf), uint64(size))...)
	return string(utf16.Decode(m.units16(buf, size/2-1)))
}

// stop ends the current call and all later ones. Another goroutine may call it.
func (m *machine) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.variable(stopVariable).Set(1)
}

// variable returns a variable that patch added.
func (m *machine) variable(name string) api.MutableGlobal {
	return m.module.ExportedGlobal(name).(api.MutableGlobal)
}

// within runs f with at most pauses pauses and returns how many are left. If none are, the
// engine trapped and must not be called again.
func (m *machine) within(pauses int, f func()) (left int) {
	v := m.variable(pausesVariable)
	v.Set(uint64(pauses))
	f()
	left = int(uint32(v.Get()))
	v.Set(0)
	return left
}

// close releases the instance, which must no longer run.
func (m *machine) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	memory := firstByte(m.module)
	_ = m.module.Close(context.Background())
	release(memory)
}
