/// GStreamer's `webrtcbin` as a WebRTC end: it sends a ball, and counts what it receives.
enum WebRTCBinScript {
    static let text = """
        import json, sys, threading, time
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstWebRTC", "1.0")
        gi.require_version("GstSdp", "1.0")
        from gi.repository import GLib, Gst, GstSdp, GstWebRTC
        Gst.init(None)

        name = sys.argv[1]
        low = name.lower()
        counts, start, first, sent = [], 0, None, 0
        pipeline = Gst.Pipeline.new("peer")
        end = Gst.ElementFactory.make("webrtcbin")
        end.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        pipeline.add(end)

        def add_camera(payload):
            global sent
            encoder = f"{low}enc name=encoder deadline=1 cpu-used=8 keyframe-max-dist=60 target-bitrate=500000"
            camera = Gst.parse_bin_from_description(
                "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=640,height=480,framerate=30/1 ! "
                f"{encoder} ! rtp{low}pay picture-id-mode=15-bit pt={payload} ! "
                f"capsfilter caps=application/x-rtp,media=video,encoding-name={name},payload={payload},clock-rate=90000",
                True)
            pipeline.add(camera)
            camera.link(end)
            def count(pad, info):
                global sent
                sent += 1
                return Gst.PadProbeReturn.OK
            camera.get_by_name("encoder").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, count)
            camera.sync_state_with_parent()

        def on_pad(_, pad):
            if pad.direction != Gst.PadDirection.SRC:
                return
            place = len(counts)
            counts.append(0)
            decoder = Gst.parse_bin_from_description(
                f"rtp{low}depay ! {low}dec ! fakesink name=sink signal-handoffs=true sync=false", True)
            pipeline.add(decoder)
            def count(*_):
                global first
                counts[place] += 1
                first = first or (time.monotonic() - start) * 1000
            decoder.get_by_name("sink").connect("handoff", count)
            decoder.sync_state_with_parent()
            pad.link(decoder.get_static_pad("sink"))
        end.connect("pad-added", on_pad)

        def description(kind, text):
            status, message = GstSdp.SDPMessage.new_from_text(text)
            return GstWebRTC.WebRTCSessionDescription.new(kind, message)

        def do(signal, *arguments):
            promise = Gst.Promise.new()
            end.emit(signal, *arguments, promise)
            promise.wait()
            return promise.get_reply()

        def gathered():
            while end.get_property("ice-gathering-state") != GstWebRTC.WebRTCICEGatheringState.COMPLETE:
                time.sleep(0.01)
            return {"sdp": end.get_property("local-description").sdp.as_text()}

        def made(reply, key, kind):
            # The description of the reply is lost with it: it is parsed again from its text.
            text = reply.get_value(key).sdp.as_text()
            do("set-local-description", description(kind, text))
            return gathered()

        OFFER, ANSWER = GstWebRTC.WebRTCSDPType.OFFER, GstWebRTC.WebRTCSDPType.ANSWER

        def number(text):
            for line in text.splitlines():
                if line.startswith("a=rtpmap:") and line.split()[1].upper().startswith(name + "/"):
                    return int(line.split()[0][9:])

        def handle(command):
            global start
            if command["do"] == "offer":
                add_camera(96)
                pipeline.set_state(Gst.State.PLAYING)
                time.sleep(0.3)
                return made(do("create-offer", None), "offer", OFFER)
            if command["do"] == "answer":
                start = time.monotonic()
                add_camera(number(command["sdp"]))
                pipeline.set_state(Gst.State.PLAYING)
                do("set-remote-description", description(OFFER, command["sdp"]))
                return made(do("create-answer", None), "answer", ANSWER)
            if command["do"] == "accept":
                start = time.monotonic()
                do("set-remote-description", description(ANSWER, command["sdp"]))
                return {}
            return {"state": end.get_property("connection-state").value_nick, "sent": [sent], "decoded": counts,
                    "firstPicture": first}

        threading.Thread(target=GLib.MainLoop().run, daemon=True).start()
        for line in sys.stdin:
            print(json.dumps(handle(json.loads(line))), flush=True)
        """
}
