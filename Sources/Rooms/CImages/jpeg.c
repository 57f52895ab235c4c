#ifdef RILL_SERVER
#include "decoder.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <jerror.h>

// Scans of a progressive image: encoders make about ten, and each costs time for all of the image, however small it is.
enum { maximum_scans = 100 };

typedef struct {
    CImages_decoder head;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    CImages_result reason;
    // Whether the header is read: bytes between its segments are damage, those behind blocks are not.
    bool has_header;
    jmp_buf escape;
} decoder;

static void leave(j_common_ptr jpeg) {
    decoder *self = jpeg->client_data;
    int code = jpeg->err->msg_code;
    // The memory that libjpeg may take is used up: it would go on in a file.
    if (code == JERR_NO_BACKING_STORE) self->reason = CImages_too_large;
    if (code == JERR_OUT_OF_MEMORY) self->reason = CImages_no_memory;
    longjmp(self->escape, 1);
}

// A negative level is damage, but for values that no decoder depends on.
static void take_note(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    decoder *self = jpeg->client_data;
    switch (jpeg->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
        if (!self->has_header) break;
        return;
    case JWRN_JFIF_MAJOR:
    case JWRN_ADOBE_XFORM:
        return;
    }
    leave(jpeg);
}

static void stay_silent(j_common_ptr jpeg) { (void)jpeg; }

static void count_scans(j_common_ptr jpeg) {
    decoder *self = jpeg->client_data;
    if (self->jpeg.input_scan_number <= maximum_scans) return;
    self->reason = CImages_too_large;
    longjmp(self->escape, 1);
}

static void close_jpeg(CImages_decoder *head) {
    decoder *self = (decoder *)head;
    jpeg_destroy_decompress(&self->jpeg);
    free(self);
}

// Four bytes of cyan, magenta, yellow and black, which are inverted as Adobe writes them, become the same of RGB.
static void convert_inks(uint8_t *row, uint32_t width, bool is_inverted) {
    for (uint8_t *pixel = row; pixel < row + (size_t)width * 4; pixel += 4) {
        for (int i = 0; i < 4; i++) pixel[i] = is_inverted ? pixel[i] : 255 - pixel[i];
        for (int i = 0; i < 3; i++) pixel[i] = pixel[i] * pixel[3] / 255;
        pixel[3] = 255;
    }
}

static CImages_result read_jpeg(CImages_decoder *head, uint8_t *row) {
    decoder *self = (decoder *)head;
    self->reason = CImages_damaged;
    if (setjmp(self->escape)) return self->reason;
    if (jpeg_read_scanlines(&self->jpeg, &row, 1) != 1) return CImages_damaged;
    if (self->jpeg.out_color_space == JCS_CMYK)
        convert_inks(row, self->jpeg.output_width, self->jpeg.saw_Adobe_marker);
    return CImages_ok;
}

static CImages_result finish_jpeg(CImages_decoder *head) {
    decoder *self = (decoder *)head;
    self->reason = CImages_damaged;
    if (setjmp(self->escape)) return self->reason;
    return jpeg_finish_decompress(&self->jpeg) ? CImages_ok : CImages_damaged;
}

static CImages_result begin(
    decoder *self, const uint8_t *bytes, size_t count, const CImages_limits *limits, CImages_header *header
) {
    struct jpeg_decompress_struct *jpeg = &self->jpeg;
    self->reason = CImages_damaged;
    if (setjmp(self->escape)) return self->reason;
    jpeg->mem->max_memory_to_use = (long)limits->memory;
    jpeg->progress = &self->progress;
    self->progress.progress_monitor = count_scans;
    jpeg_mem_src(jpeg, bytes, count);
    jpeg_read_header(jpeg, TRUE);
    self->has_header = true;
    CImages_result size = check_size(jpeg->image_width, jpeg->image_height, limits);
    if (size != CImages_ok) return size;
    // Browsers have no arithmetic coding.
    if (jpeg->arith_code) return CImages_unsupported;
    bool has_inks = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = has_inks ? JCS_CMYK : JCS_EXT_RGBA;
    // Smaller ones are made of a part of the coefficients.
    uint32_t longest = jpeg->image_width > jpeg->image_height ? jpeg->image_width : jpeg->image_height;
    jpeg->scale_denom = 8;
    for (jpeg->scale_num = 1; jpeg->scale_num < 8; jpeg->scale_num++)
        if ((uint64_t)longest * jpeg->scale_num / 8 >= limits->side) break;
    jpeg_start_decompress(jpeg);
    *header = (CImages_header){
        jpeg->image_width, jpeg->image_height, jpeg->output_width, jpeg->output_height, false};
    return CImages_ok;
}

CImages_decoder *CImages_open_jpeg(
    const uint8_t *bytes, size_t count, const CImages_limits *limits, CImages_header *header, CImages_result *result
) {
    decoder *self = calloc(1, sizeof *self);
    *result = CImages_no_memory;
    if (!self) return NULL;
    self->head = (CImages_decoder){read_jpeg, finish_jpeg, close_jpeg};
    self->jpeg.err = jpeg_std_error(&self->errors);
    self->errors.error_exit = leave;
    self->errors.emit_message = take_note;
    self->errors.output_message = stay_silent;
    self->jpeg.client_data = self;
    if (setjmp(self->escape)) {
        free(self);
        return NULL;
    }
    jpeg_create_decompress(&self->jpeg);
    self->jpeg.client_data = self;
    *result = begin(self, bytes, count, limits, header);
    if (*result == CImages_ok) return &self->head;
    close_jpeg(&self->head);
    return NULL;
}

// MARK: Writing

typedef struct {
    struct jpeg_error_mgr errors;
    jmp_buf escape;
} writer;

static void give_up(j_common_ptr jpeg) { longjmp(((writer *)jpeg->client_data)->escape, 1); }

uint8_t *CImages_write_jpeg(const uint8_t *pixels, uint32_t width, uint32_t height, size_t *count) {
    // Values that are set after setjmp, and read after longjmp.
    struct {
        writer writer;
        struct jpeg_compress_struct jpeg;
        unsigned char *bytes;
        unsigned long size;
    } *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->jpeg.err = jpeg_std_error(&self->writer.errors);
    self->writer.errors.error_exit = give_up;
    self->writer.errors.output_message = stay_silent;
    self->jpeg.client_data = &self->writer;
    uint8_t *bytes = NULL;
    if (setjmp(self->writer.escape) == 0) {
        jpeg_create_compress(&self->jpeg);
        jpeg_mem_dest(&self->jpeg, &self->bytes, &self->size);
        self->jpeg.image_width = width;
        self->jpeg.image_height = height;
        self->jpeg.input_components = 4;
        self->jpeg.in_color_space = JCS_EXT_RGBX;
        jpeg_set_defaults(&self->jpeg);
        jpeg_set_quality(&self->jpeg, 80, TRUE);
        jpeg_start_compress(&self->jpeg, TRUE);
        while (self->jpeg.next_scanline < height) {
            // libjpeg does not write to the rows.
            JSAMPROW row = (JSAMPROW)(pixels + (size_t)self->jpeg.next_scanline * width * 4);
            jpeg_write_scanlines(&self->jpeg, &row, 1);
        }
        jpeg_finish_compress(&self->jpeg);
        *count = self->size;
        jpeg_destroy_compress(&self->jpeg);
        bytes = self->bytes;
    } else {
        jpeg_destroy_compress(&self->jpeg);
        free(self->bytes);
    }
    free(self);
    return bytes;
}
#endif
