/// GStreamer's elements for repair want signals answered and events sent, which a line for gst-launch cannot do.
enum GStreamerScript {
    static let repair = #"""
        """GStreamer's side of packet repair, for tests: packets in a file as RFC 4571 frames them go in, others come out.

        fec IN OUT MEDIA_PT RED_PT FEC_PT ENCODING   what rtpreddec, rtpstorage, rtpjitterbuffer and rtpulpfecdec make of IN
        rtx IN OUT MEDIA_PT RTX_PT SEQ,SEQ,...       what rtprtxsend sends when those packets are asked for behind IN
        """
        import struct
        import sys
        import time

        import gi

        gi.require_version("Gst", "1.0")
        from gi.repository import GLib, Gst  # noqa: E402

        Gst.init(None)


        def packets(path):
            data = open(path, "rb").read()
            while data:
                (count,) = struct.unpack(">H", data[:2])
                yield data[2 : 2 + count]
                data = data[2 + count :]


        def run(description, path, out, prepare, push):
            pipeline = Gst.parse_launch(description + " ! appsink name=out emit-signals=true sync=false async=false")
            received = open(out, "wb")

            def keep(sink):
                sample = sink.emit("pull-sample")
                buffer = sample.get_buffer()
                packet = buffer.extract_dup(0, buffer.get_size())
                received.write(struct.pack(">H", len(packet)) + packet)
                return Gst.FlowReturn.OK

            pipeline.get_by_name("out").connect("new-sample", keep)
            prepare(pipeline)
            pipeline.set_state(Gst.State.PLAYING)
            source = pipeline.get_by_name("in")
            push(pipeline, source)
            source.emit("end-of-stream")
            message = pipeline.get_bus().timed_pop_filtered(
                20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR
            )
            pipeline.set_state(Gst.State.NULL)
            received.close()
            if message is None or message.type == Gst.MessageType.ERROR:
                sys.exit("no end: %s" % (message and message.parse_error()))


        def fec(path, out, media, red, fecPacket, encoding):
            (ssrc,) = struct.unpack(">I", next(packets(path))[8:12])

            def caps(element, payload_type):
                return Gst.Caps.from_string(
                    "application/x-rtp,media=video,clock-rate=90000,encoding-name=%s,payload=%d" % (encoding, payload_type)
                )

            def prepare(pipeline):
                pipeline.get_by_name("jitter").connect("request-pt-map", caps)
                storage = pipeline.get_by_name("storage").get_property("internal-storage")
                pipeline.get_by_name("fec").set_property("storage", storage)

            def push(pipeline, source):
                start = None
                for packet in packets(path):
                    # A frame's packets come at once, the frames at their times.
                    (timestamp,) = struct.unpack(">I", packet[4:8])
                    start = timestamp if start is None else start
                    buffer = Gst.Buffer.new_wrapped(packet)
                    buffer.pts = buffer.dts = (timestamp - start) % 2**32 * Gst.SECOND // 90000
                    source.emit("push-buffer", buffer)
                time.sleep(1.5)

            run(
                "appsrc name=in is-live=true format=time caps=application/x-rtp,media=video,clock-rate=90000,payload=%s,ssrc=(uint)%d"
                " ! rtpreddec pt=%s ! rtpstorage name=storage size-time=2000000000"
                " ! rtpjitterbuffer name=jitter do-lost=true latency=300 ! rtpulpfecdec name=fec pt=%s" % (red, ssrc, red, fecPacket),
                path, out, prepare, push,
            )


        def rtx(path, out, media, payload_type, numbers):
            def prepare(pipeline):
                pass

            def push(pipeline, source):
                ssrc = 0
                for packet in packets(path):
                    (ssrc,) = struct.unpack(">I", packet[8:12])
                    source.emit("push-buffer", Gst.Buffer.new_wrapped(packet))
                time.sleep(0.5)
                pad = pipeline.get_by_name("rtx").get_static_pad("src")
                for number in numbers.split(","):
                    request = Gst.Structure.from_string(
                        "GstRTPRetransmissionRequest,seqnum=(uint)%s,ssrc=(uint)%d" % (number, ssrc)
                    )[0]
                    pad.send_event(Gst.Event.new_custom(Gst.EventType.CUSTOM_UPSTREAM, request))
                time.sleep(0.5)

            run(
                "appsrc name=in format=time caps=application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=%s"
                " ! rtprtxsend name=rtx max-size-packets=0 payload-type-map=application/x-rtp-pt-map,%s=(uint)%s"
                % (media, media, payload_type),
                path, out, prepare, push,
            )


        {"fec": fec, "rtx": rtx}[sys.argv[1]](*sys.argv[2:])
        """#
}
