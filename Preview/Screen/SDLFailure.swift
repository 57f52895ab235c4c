import CSDL

/// What SDL could not do, in its words.
package struct SDLFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String) { description = "\(what): \(String(cString: SDL_GetError()))" }
}
