extension GStreamerScript {
    /// GStreamer's end of a protected call with packet repair. What it counted is on the standard output, in a line of
    /// JSON.
    static let call = #"""
        """GStreamer's end of a protected call, for tests. RTP and RTCP share a socket in both directions.

        MODE PORT KEY CIPHER AUTH RTCP_AUTH ...    PORT is the other side's

        send ... FRAMES PROTECTION          sends VP8 through the elements of PROTECTION
        rtx ... LOCAL OUT MEDIA_PT RTX_PT   receives at LOCAL with requests; packets, those that come again too, go to OUT
        fec ... LOCAL OUT RED_PT FEC_PT     receives at LOCAL without; packets, those that are restored too, go to OUT

        OUT gets packets as RFC 4571 frames them, until a second of silence.
        """
        import json
        import sys

        import gi

        gi.require_version("Gst", "1.0")
        from gi.repository import GLib, Gst  # noqa: E402

        Gst.init(None)
        mode, port, key, cipher, auth, rtcp_auth, *rest = sys.argv[1:]
        encrypt = "srtpenc name=e key=%s rtp-cipher=%s rtp-auth=%s rtcp-cipher=%s rtcp-auth=%s" % (
            key, cipher, auth, cipher, rtcp_auth
        )
        keys = "srtp-key=(buffer)%s,srtp-cipher=(string)%s,srtp-auth=(string)%s,srtcp-cipher=(string)%s,srtcp-auth=(string)%s" % (
            key, cipher, auth, cipher, rtcp_auth
        )
        loop = GLib.MainLoop()


        def start(description):
            pipeline = Gst.parse_launch(description)

            def caps(_, ssrc):
                return Gst.Caps.from_string("application/x-srtp,ssrc=(uint)%d,%s" % (ssrc, keys))

            pipeline.get_by_name("d").connect("request-key", caps)
            bus = pipeline.get_bus()
            bus.add_signal_watch()
            bus.connect("message::error", lambda _, message: fail(pipeline, message))
            # All that is sent leaves by the socket that the other side's packets come to.
            source = pipeline.get_by_name("in")
            source.set_state(Gst.State.READY)
            for name in ("rtp", "rtcp"):
                sink = pipeline.get_by_name(name)
                if sink is not None:
                    sink.set_property("socket", source.get_property("used-socket"))
                    sink.set_property("close-socket", False)
            return pipeline


        def fail(pipeline, message):
            sys.stderr.write("%s\n" % (message.parse_error(),))
            pipeline.set_state(Gst.State.NULL)
            sys.exit(1)


        def run(pipeline):
            pipeline.set_state(Gst.State.PLAYING)
            loop.run()


        def send(frames, protection):
            pipeline = start(
                "rtpsession name=s rtp-profile=avpf %s"
                " udpsrc name=in address=127.0.0.1 port=0 caps=application/x-srtcp ! srtpdec name=d d.rtcp_src ! s.recv_rtcp_sink"
                " videotestsrc is-live=true num-buffers=%s pattern=smpte ! video/x-raw,format=I420,width=320,height=240,framerate=30/1"
                " ! vp8enc deadline=1 cpu-used=8 end-usage=cbr target-bitrate=800000 keyframe-max-dist=1000"
                " ! rtpvp8pay name=pay pt=96 picture-id-mode=15-bit mtu=400 seqnum-offset=65300 ! %s ! s.send_rtp_sink"
                " s.send_rtp_src ! e.rtp_sink_0 e.rtp_src_0 ! udpsink name=rtp host=127.0.0.1 port=%s sync=false async=false"
                " s.send_rtcp_src ! e.rtcp_sink_0 e.rtcp_src_0 ! udpsink name=rtcp host=127.0.0.1 port=%s sync=false async=false"
                % (encrypt, frames, protection, port, port)
            )

            def watch(pad, info):
                # Requests are answered for one more second.
                if info.get_event().type == Gst.EventType.EOS:
                    GLib.timeout_add(1000, loop.quit)
                    return Gst.PadProbeReturn.DROP
                return Gst.PadProbeReturn.OK

            pipeline.get_by_name("pay").get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, watch)
            run(pipeline)
            again = pipeline.get_by_name("again")
            if again is not None:
                print(json.dumps({name: again.get_property(name) for name in ("num-rtx-requests", "num-rtx-packets")}))
            pipeline.set_state(Gst.State.NULL)


        def receive(local, out, media, auxiliary, prepare=lambda bin, helpers: None):
            pipeline = start(
                "rtpbin name=b rtp-profile=avpf latency=1000 do-retransmission=%s do-lost=true %s"
                " udpsrc name=in address=127.0.0.1 port=%s timeout=1000000000 caps=application/x-srtp,media=video,clock-rate=90000"
                ",encoding-name=VP8,payload=%s ! srtpdec name=d"
                " d.rtcp_src ! b.recv_rtcp_sink_0"
                " b.send_rtcp_src_0 ! e.rtcp_sink_0 e.rtcp_src_0 ! udpsink name=rtcp host=127.0.0.1 port=%s sync=false async=false"
                " rtpstreampay name=out ! filesink location=%s async=false"
                % ("true" if mode == "rtx" else "false", encrypt, local, media, port, out)
            )
            bin = pipeline.get_by_name("b")
            # Requests for packets have a share of the session's bandwidth, which it would learn too late.
            bin.emit("get-session", 0).set_property("bandwidth", 100_000.0)
            helpers = {}

            def aux(_, session):
                element = Gst.parse_launch(auxiliary)
                helpers["aux"] = element
                wrapper = Gst.Bin.new("aux")
                wrapper.add(element)
                for direction in ("sink", "src"):
                    wrapper.add_pad(Gst.GhostPad.new("%s_%d" % (direction, session), element.get_static_pad(direction)))
                return wrapper

            def caps(_, session, payload_type):
                return Gst.Caps.from_string(
                    "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=%d" % payload_type
                )

            def connect(_, pad):
                if "recv_rtp_src" in pad.get_name():
                    pad.link(pipeline.get_by_name("out").get_static_pad("sink"))

            bin.connect("request-aux-receiver", aux)
            bin.connect("request-pt-map", caps)
            bin.connect("new-jitterbuffer", lambda _, buffer, session, ssrc: helpers.__setitem__("jitter", buffer))
            prepare(bin, helpers)
            bin.connect("pad-added", connect)
            pipeline.get_by_name("d").link_pads("rtp_src", bin, "recv_rtp_sink_0")

            def begin(pad, info):
                helpers["begun"] = True
                return Gst.PadProbeReturn.REMOVE

            pipeline.get_by_name("in").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, begin)

            def silence(_, message):
                if message.get_structure().get_name() == "GstUDPSrcTimeout" and "begun" in helpers:
                    loop.quit()

            pipeline.get_bus().connect("message::element", silence)
            run(pipeline)
            counts = {}
            for name, properties in (
                ("aux", ("num-rtx-requests", "num-rtx-packets", "num-rtx-assoc-packets")),
                ("fec", ("recovered", "unrecovered")),
            ):
                element = helpers.get(name)
                for each in properties:
                    if element is not None and element.find_property(each):
                        counts[each] = element.get_property(each)
            jitter = helpers["jitter"].get_property("stats")
            for name in ("num-pushed", "num-lost", "num-late", "num-duplicates", "rtx-count", "rtx-success-count"):
                counts[name] = jitter.get_value(name)
            print(json.dumps(counts))
            pipeline.set_state(Gst.State.NULL)


        def rtx(local, out, media, again):
            receive(local, out, media, "rtprtxreceive payload-type-map=application/x-rtp-pt-map,%s=(uint)%s" % (media, again))


        def fec(local, out, red, fecPacket):
            def prepare(bin, helpers):
                def leave_out(_, within, element):
                    # Else losses behind an FEC packet are told to where FEC packets go.
                    if element.get_factory().get_name() == "rtpptdemux":
                        Gst.util_set_object_arg(element, "ignored-payload-types", "<%s>" % fecPacket)

                def decoder(bin, session):
                    helpers["fec"] = Gst.parse_launch("rtpulpfecdec pt=%s" % fecPacket)
                    helpers["fec"].set_property("storage", bin.emit("get-internal-storage", session))
                    return helpers["fec"]

                bin.emit("get-storage", 0).set_property("size-time", 3000000000)
                bin.connect("request-fec-decoder", decoder)
                bin.connect("deep-element-added", leave_out)

            receive(local, out, red, "rtpreddec pt=%s" % red, prepare)


        {"send": send, "rtx": rtx, "fec": fec}[mode](*rest)
        """#
}
