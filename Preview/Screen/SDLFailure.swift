import CSDL

/// What SDL could not do, in its words.
package struct SDLFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String, _ reason: String? = nil) {
        description = "\(what): \(reason ?? String(cString: SDL_GetError()))"
    }
}
