package pages

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// levels is how many levels of red, green and blue a picture has: enough for letters
// with smooth edges. With 16, pictures are a sixth larger.
const levels = 8

// quality is the JPEG quality at which letters stay sharp.
const quality = 70

// encode returns a picture as a data URL. A page of text is smaller as a PNG of few
// colours, and sharper: 60 KB in place of 150 KB. A page with photographs is smaller as
// a JPEG.
func encode(img *image.RGBA) (string, error) {
	var photo, drawn bytes.Buffer
	if few := fewColours(img); few != nil {
		if err := png.Encode(&drawn, few); err != nil {
			return "", err
		}
	}
	if drawn.Len() == 0 || drawn.Len() > img.Bounds().Dx()*img.Bounds().Dy()/16 { // half a bit a dot: not plain text
		if err := jpeg.Encode(&photo, img, &jpeg.Options{Quality: quality}); err != nil {
			return "", err
		}
	}
	if drawn.Len() > 0 && (photo.Len() == 0 || drawn.Len() <= photo.Len()) {
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString(drawn.Bytes()), nil
	}
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(photo.Bytes()), nil
}

// fewColours returns a picture in at most 256 colours, nil if it needs more.
func fewColours(img *image.RGBA) *image.Paletted {
	var known [levels * levels * levels]int // index in the palette and 1
	var palette color.Palette
	p := image.NewPaletted(img.Bounds(), nil)
	for i := range p.Pix {
		r, g, b := level(img.Pix[4*i]), level(img.Pix[4*i+1]), level(img.Pix[4*i+2])
		at := &known[(r*levels+g)*levels+b]
		if *at == 0 {
			if len(palette) == 256 {
				return nil
			}
			palette = append(palette, color.RGBA{shade(r), shade(g), shade(b), 0xFF})
			*at = len(palette)
		}
		p.Pix[i] = uint8(*at - 1)
	}
	p.Palette = palette
	return p
}

func level(v uint8) int { return (int(v)*(levels-1) + 127) / 255 }

func shade(level int) uint8 { return uint8(level * 255 / (levels - 1)) }
