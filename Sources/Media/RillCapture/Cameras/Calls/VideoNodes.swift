import Glibc

/// The nodes of video devices, as the kernel and udev name them.
enum VideoNodes {
    /// `/dev/video*` by number, from `/sys/class/video4linux`, or else from `/dev` itself.
    static func list() -> [VideoNodeEntry] {
        let stable = stablePaths()
        var numbers = names(in: "/sys/class/video4linux").compactMap(number)
        if numbers.isEmpty { numbers = names(in: "/dev").compactMap(number) }
        return numbers.sorted().map { number in
            let path = "/dev/video\(number)"
            return VideoNodeEntry(path: path, stablePath: stable[path])
        }
    }

    /// Returns the number in `video0`, or `nil` if the name is not that of a video device (`v4l-subdev0`, `vbi0`).
    private static func number(_ name: String) -> Int? {
        guard name.hasPrefix("video") else { return nil }
        let digits = name.utf8.dropFirst(5)
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(String(name.dropFirst(5)))
    }

    /// Returns the links that udev created, keyed by target. Links by device identity take precedence over links by
    /// bus position.
    private static func stablePaths() -> [String: String] {
        var paths: [String: String] = [:]
        for folder in ["/dev/v4l/by-path", "/dev/v4l/by-id"] {
            for name in names(in: folder).sorted() {
                let link = folder + "/" + name
                if let target = resolved(link) { paths[target] = link }
            }
        }
        return paths
    }

    /// Resolves all links in a path. Returns `nil` if it does not exist.
    static func resolved(_ path: String) -> String? {
        // The system allocates the text, which ends with a zero byte.
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            // The name ends with a zero byte within its field, which is valid until the next call.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
