import ArgumentParser

/// Suggests the command that a misspelled word stands for.
enum CommandSuggestion {
    /// Refuses a first word that is not a command; the argument parser would only call it unexpected.
    ///
    /// - Throws: `ValidationError`.
    static func check(_ words: [String], against commands: [String]) throws {
        let names = commands + ["help"]
        // `rill help transcode` names the command in the second word.
        let word = words.first == "help" ? words.dropFirst().first : words.first
        guard let word, !word.hasPrefix("-"), !names.contains(word) else { return }
        let end = nearest(to: word, of: names).map { "did you mean \"\($0)\"?" }
        throw ValidationError(
            "there is no command \"\(word)\"; " + (end ?? "there are \(commands.joined(separator: ", "))"))
    }

    /// The only name that starts with the word, or else the nearest name within one or two typing errors; `nil` if
    /// there is none.
    static func nearest(to word: String, of names: [String]) -> String? {
        let word = word.lowercased()
        let begun = names.filter { $0.hasPrefix(word) }
        if begun.count == 1 { return begun[0] }
        let near = names.map { (name: $0, distance: distance(from: word, to: $0)) }.min { $0.distance < $1.distance }
        return near.flatMap { $0.distance <= min(2, word.count / 3 + 1) ? $0.name : nil }
    }

    /// The number of letters to insert, delete, replace, or swap with their neighbor (optimal string alignment).
    static func distance(from first: String, to second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var rows = [Array(0...second.count)]
        for (i, a) in first.enumerated() {
            var row = [i + 1]
            for (j, b) in second.enumerated() {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == second[j - 1], b == first[i - 1] { least = min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
