import ArgumentParser

/// The values of `--still-blocks`.
enum StillBlocksChoice: String, ExpressibleByArgument, CaseIterable {
    case on, off
}
