public import RillBeauty

extension FaceCascade {
    /// Where Debian's and Fedora's package `opencv-data` has the cascade that finds faces in video best.
    public static let installedFile = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml"

    /// Reads a cascade of OpenCV: the XML that `opencv_traincascade` writes, with boosted trees of upright Haar
    /// features.
    ///
    /// ```swift
    /// let cascade = try FaceCascade(openCVFile: FaceCascade.installedFile)
    /// ```
    ///
    /// It reads the file and some 50 million instructions pass: not for a thread that frames wait for.
    ///
    /// - Throws: ``FaceCascadeError``.
    public init(openCVFile path: String) throws(FaceCascadeError) {
        try self.init(openCVText: CascadeFile.bytes(of: path), path: path)
    }

    /// Parses such a file's bytes; `path` is for error messages.
    package init(openCVText text: [UInt8], path: String = "memory") throws(FaceCascadeError) {
        guard text.starts(with: "<?xml".utf8) else { throw .foreign(path: path) }
        var parser = CascadeParser(text, path: path)
        try parser.parse()
        do throws(BeautyError) {
            try self.init(side: parser.side, features: parser.features, stages: parser.stages)
        } catch {
            throw .invalidCascade(path: path, error)
        }
    }
}
