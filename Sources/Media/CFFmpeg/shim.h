// FFmpeg's libraries for Swift: the headers, and one name for each macro that Swift cannot see.
#pragma once

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

static const int CFFmpeg_again = AVERROR(EAGAIN);
static const int CFFmpeg_end = AVERROR_EOF;
static const int CFFmpeg_out_of_memory = AVERROR(ENOMEM);
static const int CFFmpeg_stream_not_found = AVERROR_STREAM_NOT_FOUND;
static const int CFFmpeg_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int CFFmpeg_write_failed = AVERROR(EIO);
static const int64_t CFFmpeg_no_time = AV_NOPTS_VALUE;
