extension GStreamerScript {
    /// A sender with rtpbin's usual two ports, which loses packets itself, and says at its end what its session has
    /// heard.
    ///
    /// Arguments: the receiver's host, its port of RTP, its port of RTCP, and how many frames to send.
    static let twoPorts = #"""
        import json, sys
        import gi

        gi.require_version("Gst", "1.0")
        from gi.repository import Gst, Gio  # noqa: E402

        Gst.init(None)
        host, rtp, rtcp, frames = sys.argv[1], *map(int, sys.argv[2:5])
        v6 = ":" in host
        pipeline = Gst.parse_launch(
            "rtpbin name=bin rtp-profile=avpf"
            f" videotestsrc is-live=true num-buffers={frames} pattern=ball"
            " ! video/x-raw,width=320,height=240,framerate=30/1"
            " ! vp8enc deadline=1 keyframe-max-dist=3000 ! rtpvp8pay pt=96 picture-id-mode=15-bit mtu=400"
            " ! rtprtxqueue max-size-packets=500 ! bin.send_rtp_sink_0"
            f" bin.send_rtp_src_0 ! identity name=loss ! udpsink host={host} port={rtp}"
            f" bin.send_rtcp_src_0 ! udpsink name=reports host={host} port={rtcp} sync=false async=false"
            " udpsrc name=feedback ! bin.recv_rtcp_sink_0"
        )
        # What is sent to the port that reports come from is heard.
        family = Gio.SocketFamily.IPV6 if v6 else Gio.SocketFamily.IPV4
        socket = Gio.Socket.new(family, Gio.SocketType.DATAGRAM, Gio.SocketProtocol.UDP)
        socket.bind(Gio.InetSocketAddress.new(Gio.InetAddress.new_loopback(family), 0), True)
        sink, source = pipeline.get_by_name("reports"), pipeline.get_by_name("feedback")
        sink.set_property("socket-v6" if v6 else "socket", socket)
        sink.set_property("close-socket", False)
        source.set_property("socket", socket)
        source.set_property("close-socket", False)
        count, lost = [0], [0]

        def drop(pad, info):
            count[0] += 1
            # Not the first ones: a receiver knows nothing of them. Nor what was lost before.
            if count[0] <= 40 or count[0] % 9 != 0:
                return Gst.PadProbeReturn.OK
            lost[0] += 1
            return Gst.PadProbeReturn.DROP

        pipeline.get_by_name("loss").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, drop)
        pipeline.set_state(Gst.State.PLAYING)
        # On a busy machine its session does not end, and sends no BYE, as long as receivers report.
        wanted = Gst.MessageType.EOS | Gst.MessageType.ERROR
        message = pipeline.get_bus().timed_pop_filtered((frames // 30 + 20) * Gst.SECOND, wanted)
        session = pipeline.get_by_name("bin").emit("get-internal-session", 0)
        stats = session.get_property("stats")
        pipeline.set_state(Gst.State.NULL)
        if message is not None and message.type == Gst.MessageType.ERROR:
            sys.exit("no end: %s" % (message.parse_error(),))
        print(json.dumps({
            "nacks": stats.get_value("recv-nack-count"), "lost": lost[0], "hasEnded": message is not None,
        }))
        """#
}
