internal import CFFmpeg

extension Demuxer {
    /// The content besides the pictures of track `used` and the sound, one line each: cover pictures, further video
    /// tracks, subtitles, data, attachments, chapters, tags.
    ///
    /// - Parameter alpha: the track with the alpha of `used`, if any.
    func unusedContent(besides used: Int, alpha: Int?) -> [String] {
        var lines: [String] = []
        for index in 0..<trackCount where index != used && index != alpha {
            // The track and its parameters live as long as the demuxer.
            let stream = unsafe track(index)
            let parameters = unsafe stream.pointee.codecpar!
            let name = unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id))
            switch unsafe parameters.pointee.codec_type {
            case AVMEDIA_TYPE_VIDEO:
                let isCover = unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
                lines.append("\(isCover ? "a cover picture" : "a further video track") (\(name))")
            case AVMEDIA_TYPE_SUBTITLE: lines.append("subtitles (\(name))")
            case AVMEDIA_TYPE_ATTACHMENT: lines.append("an attachment (\(name))")
            case AVMEDIA_TYPE_DATA: lines.append("a data track (\(name))")
            default: break
            }
        }
        let chapters = chapterCount
        if chapters > 0 { lines.append(chapters == 1 ? "a chapter" : "\(chapters) chapters") }
        let tags = tagNames
        if !tags.isEmpty { lines.append("tags (\(tags.joined(separator: ", ")))") }
        return lines
    }

    /// The names of the file's tags, in order, without those that describe the file itself.
    private var tagNames: [String] {
        let technical: Set = [
            "major_brand", "minor_version", "compatible_brands", "encoder", "encoded_by", "creation_time", "software",
            "duration", "handler_name", "vendor_id", "metadatacreator", "hasaudio", "hasvideo", "canseektoend",
        ]
        // More than that are not read: files are untrusted.
        return fileTags(limit: 64).map { $0.lowercased() }.filter { !technical.contains($0) }.prefix(8).map(\.self)
    }

    /// The index of the track to show, and of the one with its alpha.
    ///
    /// An AVIF sequence stores alpha as a second track, which libavformat reports as video like any other, and
    /// prefers, since it has the same number of pictures. The handler type tells them apart (ISO/IEC 23000-22, 7.4).
    var pictureTracks: (video: Int, alpha: Int?)? {
        guard let best = videoIndex else { return nil }
        let handlers = trackHandlers(path)
        guard handlers.count == trackCount, let alpha = handlers.firstIndex(of: "auxv") else { return (best, nil) }
        guard handlers[best] == "auxv" else { return (best, alpha) }
        return handlers.firstIndex { $0 == "pict" || $0 == "vide" }.map { ($0, alpha) } ?? (best, nil)
    }
}
