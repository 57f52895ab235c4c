// GStreamer as a receiver of recorded packets, in virtual time, with jitter buffers of fixed latencies.
//
//     gstreamer-receiver play TRACE.pcap SSRC PAYLOAD-TYPE virtual|real LATENCY...
//     gstreamer-receiver cost TRACE.pcap SSRC PAYLOAD-TYPE PACKETS LOSS DELAY
//
// `play` sends the packets of one source through
//
//     rtpjitterbuffer latency=L ! rtpvp8depay wait-for-keyframe=true ! vp8dec ! fakesink sync=true
//
// one latency after the other, and prints a line for each shown picture: `L RTP-TIMESTAMP NANOSECONDS`, the time at which the
// sink renders it since 1 January 2026, the start of captures in virtual time. Late pictures are not dropped. `cost` sends the
// packets only through jitter buffer and depayloader, repeatedly, PACKETS in all, of which LOSS in a million are left out and
// DELAY in a million arrive 10 ms late, so that others overtake them. It prints the number of frames and the CPU time of all
// threads per packet in nanoseconds.
//
// In virtual time the pipeline's clock is a GstTestClock, which advances only when told. It advances to the next packet or to the
// next time that an element waits for, whichever is first, once every thread of this process sleeps and none has woken since
// that was first seen: then no work is left at the present time. So the machine's load has no effect, and half a minute takes a
// second. `real` uses the system's clock instead, to verify virtual time.

#include <dirent.h>
#include <gst/check/gsttestclock.h>
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kClockRate = 90000, kHeadByteCount = 24, kRecordByteCount = 16, kInternetByteCount = 28, kDelay = 10000000 };
// 1 January 2026, 0:00 UTC.
static const guint64 kTraceStart = 1767225600ULL * GST_SECOND;

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("gstreamer-receiver: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

// MARK: The trace

typedef struct {
    GstClockTime arrival;
    guint8 *bytes;
    guint32 count;
} Packet;

typedef struct {
    Packet *packets;
    guint count;
} Trace;

static guint32 big32(const guint8 *bytes) { return GST_READ_UINT32_BE(bytes); }

// Reads the packets of one SSRC from a capture as Rill writes it, with nanoseconds and raw IPv4.
static Trace read_trace(const char *path, guint32 ssrc, guint payload_type) {
    gchar *contents = NULL;
    gsize size = 0;
    if (!g_file_get_contents(path, &contents, &size, NULL)) fail("cannot read %s", path);
    const guint8 *bytes = (const guint8 *)contents;
    if (size < kHeadByteCount || GST_READ_UINT32_LE(bytes) != 0xA1B23C4D || GST_READ_UINT32_LE(bytes + 20) != 101)
        fail("%s is not a capture of raw IP with nanoseconds", path);
    GArray *packets = g_array_new(FALSE, FALSE, sizeof(Packet));
    for (gsize at = kHeadByteCount; at + kRecordByteCount <= size;) {
        const guint8 *record = bytes + at;
        guint32 length = GST_READ_UINT32_LE(record + 8);
        at += kRecordByteCount + length;
        if (at > size) fail("%s ends inside a packet", path);
        const guint8 *rtp = record + kRecordByteCount + kInternetByteCount;
        if (length < kInternetByteCount + 12 || rtp[0] >> 6 != 2 || (rtp[1] & 0x7F) != payload_type) continue;
        if (big32(rtp + 8) != ssrc) continue;
        guint64 time = GST_READ_UINT32_LE(record) * (guint64)GST_SECOND + GST_READ_UINT32_LE(record + 4);
        Packet packet = {time - kTraceStart, (guint8 *)rtp, length - kInternetByteCount};
        g_array_append_val(packets, packet);
    }
    if (packets->len == 0) fail("%s has no packets of source %u", path, ssrc);
    return (Trace){(Packet *)packets->data, packets->len};
}

// MARK: The pipeline

typedef struct {
    GstElement *pipeline;
    GstPad *source;
    GstClock *clock;
    GstClockTime base;
    guint latency;
    guint32 timestamp;
    GstCaps *mark;
} Receiver;

// Notes the depayloader's input packet: a frame leaves it during the call for its last packet.
static GstPadProbeReturn note_packet(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    (void)pad;
    Receiver *receiver = user;
    guint8 header[12];
    if (gst_buffer_extract(GST_PAD_PROBE_INFO_BUFFER(info), 0, header, sizeof header) == sizeof header)
        receiver->timestamp = big32(header + 4);
    return GST_PAD_PROBE_OK;
}

// Attaches the RTP timestamp to the frame as metadata, which the decoder copies to the picture: buffer times do not identify it.
static GstPadProbeReturn mark_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    (void)pad;
    Receiver *receiver = user;
    GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    gst_buffer_add_reference_timestamp_meta(buffer, receiver->mark, receiver->timestamp, GST_CLOCK_TIME_NONE);
    GST_PAD_PROBE_INFO_DATA(info) = buffer;
    return GST_PAD_PROBE_OK;
}

static void note_picture(GstElement *sink, GstBuffer *picture, GstPad *pad, gpointer user) {
    (void)sink, (void)pad;
    Receiver *receiver = user;
    GstReferenceTimestampMeta *mark = gst_buffer_get_reference_timestamp_meta(picture, receiver->mark);
    if (!mark) fail("a picture has lost its timestamp");
    GstClockTime now = gst_clock_get_time(receiver->clock) - receiver->base;
    printf("%u %u %" G_GUINT64_FORMAT "\n", receiver->latency, (guint32)mark->timestamp, now);
}

static gboolean answer(GstPad *pad, GstObject *parent, GstQuery *query) {
    if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return gst_pad_query_default(pad, parent, query);
    gst_query_set_latency(query, TRUE, 0, GST_CLOCK_TIME_NONE);
    return TRUE;
}

static void probe(Receiver *receiver, const char *name, GstPadProbeCallback callback, gpointer user) {
    GstElement *depayloader = gst_bin_get_by_name(GST_BIN(receiver->pipeline), "depayloader");
    GstPad *pad = gst_element_get_static_pad(depayloader, name);
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, user, NULL);
    gst_object_unref(pad);
    gst_object_unref(depayloader);
}

static void link_source(Receiver *receiver, guint payload_type) {
    receiver->source = gst_pad_new("source", GST_PAD_SRC);
    gst_pad_set_query_function(receiver->source, answer);
    GstPad *entry = gst_bin_find_unlinked_pad(GST_BIN(receiver->pipeline), GST_PAD_SINK);
    if (GST_PAD_LINK_FAILED(gst_pad_link(receiver->source, entry))) fail("cannot link the jitter buffer");
    gst_object_unref(entry);
    gst_pad_set_active(receiver->source, TRUE);
    gst_pad_push_event(receiver->source, gst_event_new_stream_start("trace"));
    GstCaps *caps = gst_caps_from_string("application/x-rtp, media=video, clock-rate=90000, encoding-name=VP8");
    gst_caps_set_simple(caps, "payload", G_TYPE_INT, (gint)payload_type, NULL);
    gst_pad_push_event(receiver->source, gst_event_new_caps(caps));
    gst_caps_unref(caps);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_pad_push_event(receiver->source, gst_event_new_segment(&segment));
}

// The jitter buffer and what follows it, `rest`, a launch line.
static Receiver *start(guint latency, guint payload_type, gboolean is_virtual, const char *rest) {
    Receiver *receiver = g_new0(Receiver, 1);
    receiver->latency = latency;
    receiver->mark = gst_caps_new_empty_simple("timestamp/x-rtp");
    gchar *line = g_strdup_printf(
        "rtpjitterbuffer latency=%u ! rtpvp8depay name=depayloader wait-for-keyframe=true ! %s", latency, rest);
    GError *error = NULL;
    receiver->pipeline = gst_parse_launch(line, &error);
    if (error) fail("%s: %s", line, error->message);
    g_free(line);
    receiver->clock = is_virtual ? gst_test_clock_new() : gst_system_clock_obtain();
    receiver->base = is_virtual ? 0 : gst_clock_get_time(receiver->clock);
    gst_pipeline_use_clock(GST_PIPELINE(receiver->pipeline), receiver->clock);
    gst_element_set_start_time(receiver->pipeline, GST_CLOCK_TIME_NONE);
    gst_element_set_base_time(receiver->pipeline, receiver->base);
    // A fixed latency instead of the one that the elements report, from the first picture.
    gst_pipeline_set_latency(GST_PIPELINE(receiver->pipeline), latency * GST_MSECOND);
    // Before the state changes, since these events must precede the first packet.
    if (gst_element_set_state(receiver->pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        fail("the pipeline does not start");
    link_source(receiver, payload_type);
    return receiver;
}

static void stop(Receiver *receiver) {
    // The elements wait for a stopped clock; flushing wakes them.
    gst_element_set_state(receiver->pipeline, GST_STATE_NULL);
    gst_object_unref(receiver->source);
    gst_object_unref(receiver->pipeline);
    gst_object_unref(receiver->clock);
    gst_caps_unref(receiver->mark);
    g_free(receiver);
}

static void look_for_errors(Receiver *receiver) {
    GstBus *bus = gst_element_get_bus(receiver->pipeline);
    GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    if (message) {
        GError *error = NULL;
        gst_message_parse_error(message, &error, NULL);
        fail("%s: %s", GST_OBJECT_NAME(message->src), error->message);
    }
    gst_object_unref(bus);
}

static void push(Receiver *receiver, GstBuffer *buffer, GstClockTime arrival) {
    GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = arrival;
    if (gst_pad_push(receiver->source, buffer) != GST_FLOW_OK) {
        look_for_errors(receiver);
        fail("the jitter buffer no longer accepts packets");
    }
}

// MARK: Virtual time

// The state of the other threads: a sum that changes whenever one of them has run, or 0 if one is runnable.
static guint64 look_at_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) fail("there is no /proc/self/task");
    guint64 sum = 1;
    for (struct dirent *entry; sum && (entry = readdir(tasks));) {
        int thread = atoi(entry->d_name);
        if (thread == 0 || thread == getpid()) continue;
        char path[64], text[4096];
        snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
        FILE *file = fopen(path, "r");
        if (!file) {
            sum = 0;  // the thread has just ended
            break;
        }
        size_t length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[length] = 0;
        const char *state = strstr(text, "State:\t"), *switches = strstr(text, "\nvoluntary_ctxt_switches:\t");
        if (!state || !switches || state[7] != 'S') {
            sum = 0;
        } else {
            sum = sum * 1000003 + thread;
            sum += strtoull(switches + strlen("\nvoluntary_ctxt_switches:\t"), NULL, 10);
        }
    }
    closedir(tasks);
    return sum;
}

// Waits until no work is left at the present time.
static void settle(void) {
    for (;;) {
        guint64 before = look_at_threads();
        if (before != 0 && look_at_threads() == before) return;
        sched_yield();
    }
}

// Releases all waits for times up to `end`, one after the other.
static void advance(GstTestClock *clock, GstClockTime end) {
    for (;;) {
        settle();
        GstClockID next = NULL;
        if (!gst_test_clock_peek_next_pending_id(clock, &next)) break;
        GstClockTime time = gst_clock_id_get_time(next);
        gst_clock_id_unref(next);
        if (time > end) break;
        GstClockTime now = gst_clock_get_time(GST_CLOCK(clock));
        if (time > now) gst_test_clock_set_time(clock, time);
        next = gst_test_clock_process_next_clock_id(clock);
        if (next) gst_clock_id_unref(next);
    }
    if (gst_clock_get_time(GST_CLOCK(clock)) < end) gst_test_clock_set_time(clock, end);
}

static void play(const Trace *trace, guint payload_type, gboolean is_virtual, guint latency) {
    // Every picture is rendered, also a late one, without QoS events upstream. By default a sink adds 20 ms for its own
    // processing; this one has none.
    Receiver *receiver = start(
        latency, payload_type, is_virtual,
        "vp8dec threads=1 ! "
        "fakesink name=screen sync=true qos=false max-lateness=-1 processing-deadline=0 signal-handoffs=true");
    probe(receiver, "sink", note_packet, receiver);
    probe(receiver, "src", mark_frame, receiver);
    GstElement *screen = gst_bin_get_by_name(GST_BIN(receiver->pipeline), "screen");
    g_signal_connect(screen, "handoff", G_CALLBACK(note_picture), receiver);
    gst_object_unref(screen);
    GstClockTime end = trace->packets[trace->count - 1].arrival + (latency + 1000) * GST_MSECOND;
    for (guint index = 0; index <= trace->count; index++) {
        GstClockTime time = index < trace->count ? trace->packets[index].arrival : end;
        if (is_virtual) {
            // A packet that arrives at the time that an element waits for is delivered before that time has passed.
            advance(GST_TEST_CLOCK(receiver->clock), index < trace->count && time > 0 ? time - 1 : time);
            if (gst_clock_get_time(receiver->clock) < time)
                gst_test_clock_set_time(GST_TEST_CLOCK(receiver->clock), time);
        } else {
            GstClockID wait = gst_clock_new_single_shot_id(receiver->clock, receiver->base + time);
            gst_clock_id_wait(wait, NULL);
            gst_clock_id_unref(wait);
        }
        if (index == trace->count) break;
        const Packet *packet = &trace->packets[index];
        push(receiver, gst_buffer_new_memdup(packet->bytes, packet->count), time);
    }
    look_for_errors(receiver);
    stop(receiver);
}

// MARK: Cost

static GstPadProbeReturn count_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    (void)pad, (void)info;
    g_atomic_int_inc((gint *)user);
    return GST_PAD_PROBE_OK;
}

// A packet of the trace, counted over all its rounds, and its arrival time.
typedef struct {
    guint index;
    GstClockTime time;
    gboolean is_lost;
} Event;

static int in_order_of_time(const void *a, const void *b) {
    const Event *first = a, *second = b;
    if (first->time != second->time) return first->time < second->time ? -1 : 1;
    return first->index < second->index ? -1 : 1;
}

static gboolean happens(GRand *random, guint parts_per_million) {
    return (guint)g_rand_int_range(random, 0, 1000000) < parts_per_million;
}

// Sends the trace repeatedly; sequence numbers and timestamps continue from one round to the next.
static void cost(const Trace *trace, guint payload_type, guint packets, guint loss, guint delay) {
    const Packet *first = &trace->packets[0], *last = &trace->packets[trace->count - 1];
    guint32 round_ticks = big32(last->bytes + 4) - big32(first->bytes + 4) + kClockRate / 30;
    GstClockTime round_time = gst_util_uint64_scale(round_ticks, GST_SECOND, kClockRate);
    Event *events = g_new(Event, packets);
    GRand *random = g_rand_new_with_seed(1);
    for (guint index = 0; index < packets; index++) {
        GstClockTime time = trace->packets[index % trace->count].arrival - first->arrival;
        time += index / trace->count * round_time + (happens(random, delay) ? kDelay : 0);
        events[index] = (Event){index, time, happens(random, loss)};
    }
    qsort(events, packets, sizeof *events, in_order_of_time);

    Receiver *receiver = start(200, payload_type, TRUE, "fakesink qos=false");
    gint frames = 0;
    probe(receiver, "src", count_frame, &frames);
    GstTestClock *clock = GST_TEST_CLOCK(receiver->clock);
    struct timespec start_time, end_time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start_time);
    for (guint position = 0; position < packets; position++) {
        Event event = events[position];
        if (event.time > gst_clock_get_time(receiver->clock)) gst_test_clock_set_time(clock, event.time);
        // Release due waits, without waiting for the released work, as with a real clock.
        for (GstClockID next = NULL; gst_test_clock_peek_next_pending_id(clock, &next);) {
            gboolean is_due = gst_clock_id_get_time(next) <= event.time;
            gst_clock_id_unref(next);
            if (!is_due) break;
            next = gst_test_clock_process_next_clock_id(clock);
            if (next) gst_clock_id_unref(next);
        }
        if (event.is_lost) continue;
        const Packet *packet = &trace->packets[event.index % trace->count];
        guint round = event.index / trace->count;
        GstBuffer *buffer = gst_buffer_new_allocate(NULL, packet->count, NULL);
        GstMapInfo map;
        gst_buffer_map(buffer, &map, GST_MAP_WRITE);
        memcpy(map.data, packet->bytes, packet->count);
        GST_WRITE_UINT16_BE(map.data + 2, (guint16)(GST_READ_UINT16_BE(packet->bytes + 2) + round * trace->count));
        GST_WRITE_UINT32_BE(map.data + 4, big32(packet->bytes + 4) + round * round_ticks);
        gst_buffer_unmap(buffer, &map);
        push(receiver, buffer, event.time);
    }
    settle();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end_time);
    double nanoseconds = (end_time.tv_sec - start_time.tv_sec) * 1e9 + (double)(end_time.tv_nsec - start_time.tv_nsec);
    printf("%d %.1f\n", frames, nanoseconds / packets);
    stop(receiver);
    g_rand_free(random);
    g_free(events);
}

int main(int count, char **arguments) {
    gst_init(&count, &arguments);
    if (count < 6) fail("usage: play|cost TRACE.pcap SSRC PAYLOAD-TYPE ...");
    guint payload_type = (guint)atoi(arguments[4]);
    Trace trace = read_trace(arguments[2], (guint32)strtoul(arguments[3], NULL, 10), payload_type);
    if (strcmp(arguments[1], "play") == 0) {
        gboolean is_virtual = strcmp(arguments[5], "virtual") == 0;
        for (int index = 6; index < count; index++)
            play(&trace, payload_type, is_virtual, (guint)atoi(arguments[index]));
    } else if (strcmp(arguments[1], "cost") == 0 && count == 8) {
        cost(&trace, payload_type, (guint)atoi(arguments[5]), (guint)atoi(arguments[6]), (guint)atoi(arguments[7]));
    } else {
        fail("usage: play|cost TRACE.pcap SSRC PAYLOAD-TYPE ...");
    }
    return 0;
}
