import Foundation
import Testing

@testable import RillWHIP

@Suite struct FlatJSONObjectTests {
    @Test func `Strings, numbers, truth values and null are read`() throws {
        let object = try FlatJSONObject(
            parsing: #" { "s" : "a\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00é" , "n":-1.5e3,"t":true,"f":false, "z":null } "#)
        #expect(
            object.members == [
                "s": .string("a\"\\/\u{8}\u{c}\n\r\tä😀é"), "n": .number("-1.5e3"), "t": .bool(true), "f": .bool(false),
                "z": .null,
            ])
        #expect(try FlatJSONObject(parsing: "{}").members.isEmpty)
        #expect(try FlatJSONObject(parsing: #"{"a":1,"a":2}"#).members == ["a": .number("2")])
        #expect(try FlatJSONObject(parsing: #"{"a":"\ud800x"}"#).members == ["a": .string("\u{FFFD}x")])
    }

    @Test(arguments: [
        ("", 0), ("{", 1), ("[]", 0), ("{\"a\"}", 4), ("{\"a\":}", 5), ("{\"a\":1", 6), ("{\"a\":1,}", 7), ("{} x", 3),
        ("{\"a\":nul}", 5), ("{\"a\":1-}", 5), ("{\"a\":\"\u{1}\"}", 6), ("{\"a\":\"\\x\"}", 7),
        ("{\"a\":\"\\u12\"}", 8),
        ("{\"a\":\"\\u+123\"}", 8), ("{\"a\":\"", 6), ("{\"a\":\"\\", 7),
    ])
    func `Invalid JSON is reported with its offset`(text: String, offset: Int) {
        #expect(throws: FlatJSONError.notJSON(offset: offset)) { try FlatJSONObject(parsing: text) }
    }

    @Test func `Nested values and too many members are refused`() {
        #expect(throws: FlatJSONError.nested(offset: 5)) { try FlatJSONObject(parsing: #"{"a":[]}"#) }
        #expect(throws: FlatJSONError.nested(offset: 5)) { try FlatJSONObject(parsing: #"{"a":{}}"#) }
        let many = "{" + (0...64).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        #expect(throws: FlatJSONError.tooManyMembers(limit: 64)) { try FlatJSONObject(parsing: many) }
    }

    @Test func `Nested values can be skipped, as deep as 32`() throws {
        let text = #"{"a":[1,{"b":[],"c":{}},"]"],"detail":"no","d":{"detail":"inside"}}"#
        #expect(try FlatJSONObject(parsing: text, nested: .skipped).members == ["detail": .string("no")])
        func nested(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        #expect(try FlatJSONObject(parsing: nested(32), nested: .skipped).members.isEmpty)
        #expect(throws: FlatJSONError.tooDeep(offset: 37, limit: 32)) {
            try FlatJSONObject(parsing: nested(33), nested: .skipped)
        }
    }

    @Test(arguments: [
        (#"{"a":[1,]}"#, 8), (#"{"a":[1}"#, 7), (#"{"a":{"b"}}"#, 9), (#"{"a":{1:2}}"#, 6), (#"{"a":["#, 6),
    ])
    func `Skipped values must be JSON`(text: String, offset: Int) {
        #expect(throws: FlatJSONError.notJSON(offset: offset)) { try FlatJSONObject(parsing: text, nested: .skipped) }
    }

    @Test func `Written JSON can be parsed by Foundation`() throws {
        let text = "quote \" backslash \\ line\n\u{1}\u{7F} <script> ä 😀"
        let json = JSONText.object([("a", JSONText.string(text)), ("b", JSONText.array(["1", JSONText.number(2.25)]))])
        let read = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(read["a"] as? String == text && read["b"] as? [Double] == [1, 2.3])
        #expect(!json.contains("<"))
        #expect(
            try FlatJSONObject(parsing: JSONText.object([("a", JSONText.string(text))])).members["a"] == .string(text))
        for value in [Double.nan, .infinity, 1e300] { #expect(JSONText.number(value) == "0") }
    }
}
