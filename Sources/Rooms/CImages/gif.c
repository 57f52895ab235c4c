#ifdef RILL_SERVER
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

typedef struct {
    CImages_decoder head;
    GifFileType *gif;
    CImages_limits limits;
    const uint8_t *bytes;
    size_t count, position;
    uint32_t frame_count;
    uint64_t total_pixels;
    // The first frame: its place, its pixels, its colours, and which of them is transparent.
    GifImageDesc place;
    uint8_t *pixels;
    GifColorType colors[256];
    int transparent;
    uint32_t row;
    // A row of another frame.
    uint8_t line[65536];
} decoder;

static int take(GifFileType *gif, GifByteType *bytes, int count) {
    decoder *self = gif->UserData;
    size_t rest = self->count - self->position;
    size_t taken = count < 0 ? 0 : (size_t)count < rest ? (size_t)count : rest;
    memcpy(bytes, self->bytes + self->position, taken);
    self->position += taken;
    return (int)taken;
}

static void close_gif(CImages_decoder *head) {
    decoder *self = (decoder *)head;
    if (self->gif) DGifCloseFile(self->gif, NULL);
    free(self->pixels);
    free(self);
}

static CImages_result read_gif(CImages_decoder *head, uint8_t *row) {
    decoder *self = (decoder *)head;
    if (self->row >= (uint32_t)self->gif->SHeight) return CImages_damaged;
    memset(row, 0, (size_t)self->gif->SWidth * 4);
    uint32_t y = self->row++ - (uint32_t)self->place.Top;
    if (y >= (uint32_t)self->place.Height) return CImages_ok;
    const uint8_t *indices = self->pixels + (size_t)y * (size_t)self->place.Width;
    uint8_t *pixel = row + (size_t)self->place.Left * 4;
    for (int x = 0; x < self->place.Width; x++, pixel += 4) {
        if (indices[x] == self->transparent) continue;
        const GifColorType *color = &self->colors[indices[x]];
        pixel[0] = color->Red;
        pixel[1] = color->Green;
        pixel[2] = color->Blue;
        pixel[3] = 255;
    }
    return CImages_ok;
}

// Whether the codes of a frame make so many pixels. giflib takes codes before they are defined, and makes something up.
static bool check_codes(const uint8_t *bytes, size_t count, uint64_t pixels) {
    enum { maximum_bits = 12, code_limit = 1 << maximum_bits };
    // How many pixels a code stands for.
    uint32_t lengths[code_limit];
    if (count == 0 || bytes[0] == 0 || bytes[0] > 8) return false;
    const uint32_t clear = 1u << bytes[0], end = clear + 1;
    uint32_t bit_count = bytes[0] + 1u, next = end + 1, length = 0;
    uint32_t bits = 0, available = 0;
    for (uint32_t code = 0; code < clear; code++) lengths[code] = 1;
    uint64_t total = 0;
    for (size_t position = 1; position < count && bytes[position] > 0;) {
        size_t block_end = position + 1 + bytes[position];
        if (block_end > count) return false;
        for (position++; position < block_end; position++) {
            bits |= (uint32_t)bytes[position] << available;
            available += 8;
            while (available >= bit_count) {
                uint32_t code = bits & ((1u << bit_count) - 1);
                bits >>= bit_count;
                available -= bit_count;
                if (code == end) return total >= pixels;
                if (code == clear) {
                    bit_count = bytes[0] + 1u;
                    next = end + 1;
                    length = 0;
                    continue;
                }
                // The code that is defined now is the last one, and its first pixel again.
                if (length == 0 ? code > clear : code > next) return false;
                uint32_t defined = length + 1;
                length = code == next ? defined : lengths[code];
                if (defined > 1 && next < code_limit) {
                    lengths[next++] = defined;
                    if (next == 1u << bit_count && bit_count < maximum_bits) bit_count++;
                }
                total += length;
                if (total >= pixels) return true;
            }
        }
    }
    return false;
}

// Reads the rows of a frame; those of the first one are kept.
static CImages_result read_rows(decoder *self, bool is_first) {
    const GifImageDesc *place = &self->gif->Image;
    static const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    int pass_count = place->Interlace ? 4 : 1;
    for (int pass = 0; pass < pass_count; pass++) {
        int step = place->Interlace ? steps[pass] : 1;
        for (int y = place->Interlace ? starts[pass] : 0; y < place->Height; y += step) {
            uint8_t *line = is_first ? self->pixels + (size_t)y * (size_t)place->Width : self->line;
            if (DGifGetLine(self->gif, line, place->Width) != GIF_OK) return CImages_damaged;
        }
    }
    return CImages_ok;
}

static CImages_result read_frame(decoder *self) {
    if (DGifGetImageDesc(self->gif) != GIF_OK) return CImages_damaged;
    const GifImageDesc *place = &self->gif->Image;
    if (place->Width <= 0 || place->Height <= 0 || place->Left < 0 || place->Top < 0) return CImages_damaged;
    if (place->Left + place->Width > self->gif->SWidth || place->Top + place->Height > self->gif->SHeight)
        return CImages_damaged;
    self->total_pixels += (uint64_t)place->Width * (uint64_t)place->Height;
    if (++self->frame_count > self->limits.frames || self->total_pixels > self->limits.total_pixels)
        return CImages_too_large;
    // The size of codes, before their blocks, has been read.
    size_t start = self->position - 1;
    if (!check_codes(self->bytes + start, self->count - start, (uint64_t)place->Width * (uint64_t)place->Height))
        return CImages_damaged;
    const ColorMapObject *map = place->ColorMap ? place->ColorMap : self->gif->SColorMap;
    if (!map || map->ColorCount > 256) return CImages_damaged;
    if (self->pixels) return read_rows(self, false);
    self->place = *place;
    self->place.ColorMap = NULL;
    memcpy(self->colors, map->Colors, (size_t)map->ColorCount * sizeof *map->Colors);
    self->pixels = calloc((size_t)place->Width, (size_t)place->Height);
    return self->pixels ? read_rows(self, true) : CImages_no_memory;
}

static CImages_result read_extension(decoder *self) {
    int code;
    GifByteType *block;
    if (DGifGetExtension(self->gif, &code, &block) != GIF_OK) return CImages_damaged;
    // GIF89a, section 23: one block of four bytes. giflib takes any, and browsers do not.
    bool is_control = code == GRAPHICS_EXT_FUNC_CODE;
    if (is_control && (!block || block[0] != 4)) return CImages_damaged;
    while (block) {
        GraphicsControlBlock control;
        if (is_control && !self->pixels &&
            DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
            self->transparent = control.TransparentColor;
        if (DGifGetExtensionNext(self->gif, &block) != GIF_OK) return CImages_damaged;
        if (is_control && block) return CImages_damaged;
    }
    return CImages_ok;
}

// Reads up to the end of the first frame, or of the file.
static CImages_result advance(decoder *self, bool to_end) {
    while (to_end || !self->pixels) {
        GifRecordType type;
        if (DGifGetRecordType(self->gif, &type) != GIF_OK) return CImages_damaged;
        CImages_result result = CImages_damaged;
        switch (type) {
        case IMAGE_DESC_RECORD_TYPE: result = read_frame(self); break;
        case EXTENSION_RECORD_TYPE: result = read_extension(self); break;
        case TERMINATE_RECORD_TYPE: return self->pixels ? CImages_ok : CImages_damaged;
        default: break;
        }
        if (result != CImages_ok) return result;
    }
    return CImages_ok;
}

static CImages_result finish_gif(CImages_decoder *head) { return advance((decoder *)head, true); }

static CImages_result begin(decoder *self, const CImages_limits *limits, CImages_header *header) {
    self->gif = DGifOpen(self, take, NULL);
    if (!self->gif) return CImages_damaged;
    int width = self->gif->SWidth, height = self->gif->SHeight;
    CImages_result size = check_size((uint64_t)width, (uint64_t)height, limits);
    if (size != CImages_ok) return size;
    CImages_result result = advance(self, false);
    bool is_whole = self->place.Width == width && self->place.Height == height;
    *header = (CImages_header){
        (uint32_t)width, (uint32_t)height, (uint32_t)width, (uint32_t)height, !is_whole || self->transparent >= 0};
    return result;
}

CImages_decoder *CImages_open_gif(
    const uint8_t *bytes, size_t count, const CImages_limits *limits, CImages_header *header, CImages_result *result
) {
    decoder *self = calloc(1, sizeof *self);
    *result = CImages_no_memory;
    if (!self) return NULL;
    self->head = (CImages_decoder){read_gif, finish_gif, close_gif};
    self->limits = *limits;
    self->bytes = bytes;
    self->count = count;
    self->transparent = NO_TRANSPARENT_COLOR;
    *result = begin(self, limits, header);
    if (*result == CImages_ok) return &self->head;
    close_gif(&self->head);
    return NULL;
}
#endif
