#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <jerror.h>

struct CJPEG_decoder {
    struct jpeg_decompress_struct jpeg;
    CJPEG_scan scan;
    struct jpeg_error_mgr errors;
    jmp_buf escape;
};

static void leave(j_common_ptr jpeg) {
    CJPEG_decoder *decoder = jpeg->client_data;
    longjmp(decoder->escape, 1);
}

// A negative level is damage, the others are traces.
static void count_damage(j_common_ptr jpeg, int level) {
    CJPEG_decoder *decoder = jpeg->client_data;
    if (level >= 0) return;
    if (decoder->scan != CJPEG_unchecked) {
        switch (jpeg->err->msg_code) {
        // Bytes around the blocks, or values that decoding does not depend on.
        case JWRN_EXTRANEOUS_DATA:
        case JWRN_JPEG_EOF:
        case JWRN_JFIF_MAJOR:
        case JWRN_ADOBE_XFORM:
        case JWRN_NOT_SEQUENTIAL:
            return;
        }
    }
    jpeg->err->num_warnings++;
}

// Called where the next marker is not the expected restart marker. In a scan that was checked, a restart marker of another
// number ends the interval all the same. Reserved codes before it are surplus bytes.
static boolean take_restart(j_decompress_ptr jpeg, int number) {
    CJPEG_decoder *decoder = jpeg->client_data;
    if (decoder->scan == CJPEG_unchecked) return jpeg_resync_to_restart(jpeg, number);
    struct jpeg_source_mgr *source = jpeg->src;
    while (jpeg->unread_marker < 0xC0 && source->bytes_in_buffer > 1) {
        const JOCTET *bytes = source->next_input_byte;
        if (bytes[0] == 0xFF && bytes[1] != 0xFF && bytes[1] >= 0xC0) {
            jpeg->unread_marker = bytes[1];
            source->next_input_byte++;
            source->bytes_in_buffer--;
        }
        source->next_input_byte++;
        source->bytes_in_buffer--;
    }
    if (jpeg->unread_marker >= JPEG_RST0 && jpeg->unread_marker <= JPEG_RST0 + 7) jpeg->unread_marker = 0;
    return TRUE;
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

bool CJPEG_begin(CJPEG_decoder *decoder, const uint8_t *bytes, size_t count, CJPEG_scan scan, CJPEG_header *header) {
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    if (setjmp(decoder->escape)) return false;
    jpeg_abort_decompress(jpeg);
    decoder->errors.num_warnings = 0;
    decoder->scan = scan;
    jpeg_mem_src(jpeg, bytes, count);
    jpeg->src->resync_to_restart = take_restart;
    jpeg_read_header(jpeg, TRUE);
    if (scan == CJPEG_whole_without_restarts) jpeg->restart_interval = 0;
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
