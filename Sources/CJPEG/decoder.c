#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct CJPEG_decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf escape;
};

static void leave(j_common_ptr jpeg) {
    CJPEG_decoder *decoder = jpeg->client_data;
    longjmp(decoder->escape, 1);
}

// A negative level is damage, the others are traces.
static void count_damage(j_common_ptr jpeg, int level) {
    if (level < 0) jpeg->err->num_warnings++;
}

static void stay_silent(j_common_ptr jpeg) { (void)jpeg; }

CJPEG_decoder *CJPEG_create(void) {
    CJPEG_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->jpeg.err = jpeg_std_error(&decoder->errors);
    decoder->errors.error_exit = leave;
    decoder->errors.emit_message = count_damage;
    decoder->errors.output_message = stay_silent;
    decoder->jpeg.client_data = decoder;
    if (setjmp(decoder->escape)) {
        free(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->jpeg);
    decoder->jpeg.client_data = decoder;
    return decoder;
}

void CJPEG_destroy(CJPEG_decoder *decoder) {
    jpeg_destroy_decompress(&decoder->jpeg);
    free(decoder);
}

bool CJPEG_begin(CJPEG_decoder *decoder, const uint8_t *bytes, size_t count, CJPEG_header *header) {
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    if (setjmp(decoder->escape)) return false;
    jpeg_abort_decompress(jpeg);
    decoder->errors.num_warnings = 0;
    jpeg_mem_src(jpeg, bytes, count);
    jpeg_read_header(jpeg, TRUE);
    bool is_grey = jpeg->num_components == 1 && jpeg->jpeg_color_space == JCS_GRAYSCALE;
    bool is_colour = jpeg->num_components == 3 && jpeg->jpeg_color_space == JCS_YCbCr;
    if (!is_grey && !is_colour) return false;
    // A progressive picture is kept whole and read many times over: no camera sends one, and it costs without a bound.
    if (jpeg->progressive_mode || jpeg_has_multiple_scans(jpeg)) return false;
    for (int i = 0; i < jpeg->num_components; i++)
        if (jpeg->comp_info[i].h_samp_factor > 2 || jpeg->comp_info[i].v_samp_factor > 2) return false;
    jpeg->raw_data_out = TRUE;
    jpeg->out_color_space = jpeg->jpeg_color_space;
    // The decoder of precise results, which SIMD does as fast as any.
    jpeg->dct_method = JDCT_ISLOW;
    jpeg->do_fancy_upsampling = FALSE;
    jpeg_start_decompress(jpeg);

    header->width = jpeg->image_width;
    header->height = jpeg->image_height;
    header->component_count = jpeg->num_components;
    header->maximum_horizontal = jpeg->max_h_samp_factor;
    header->maximum_vertical = jpeg->max_v_samp_factor;
    for (int i = 0; i < CJPEG_maximum_components; i++) {
        bool is_there = i < jpeg->num_components;
        header->horizontal[i] = is_there ? jpeg->comp_info[i].h_samp_factor : 0;
        header->vertical[i] = is_there ? jpeg->comp_info[i].v_samp_factor : 0;
    }
    return true;
}

bool CJPEG_read(CJPEG_decoder *decoder, uint8_t **const rows[CJPEG_maximum_components]) {
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    if (setjmp(decoder->escape)) return false;
    JDIMENSION wanted = jpeg->max_v_samp_factor * DCTSIZE;
    return jpeg_read_raw_data(jpeg, (JSAMPIMAGE)rows, wanted) == wanted;
}

bool CJPEG_finish(CJPEG_decoder *decoder) {
    if (setjmp(decoder->escape)) return false;
    return jpeg_finish_decompress(&decoder->jpeg);
}

void CJPEG_abort(CJPEG_decoder *decoder) {
    if (setjmp(decoder->escape)) return;
    jpeg_abort_decompress(&decoder->jpeg);
}

long CJPEG_warning_count(const CJPEG_decoder *decoder) { return decoder->errors.num_warnings; }

size_t CJPEG_unread_byte_count(const CJPEG_decoder *decoder) {
    return decoder->jpeg.src ? decoder->jpeg.src->bytes_in_buffer : 0;
}
