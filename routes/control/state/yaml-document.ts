import type { Document } from 'yaml'
import { loadYaml } from '../../../state/go/yaml.ts'
import { joinLines } from '../../../state/kernel/trimming.ts'

/** A mistake in the syntax of YAML. */
interface YamlProblem {
  /** Line number, from 1; 1 if the position is unknown. */
  readonly line: number
  /** Message of the parser, on one line. */
  readonly text: string
  /** The message, followed by the line and the column if the position is known. */
  readonly textWithPlace: string
}

/** The value of a YAML text, or the mistakes in its syntax in order. */
export type ParsedYaml =
  | { readonly value: unknown; readonly problems?: undefined }
  | { readonly problems: readonly [YamlProblem, ...YamlProblem[]] }

/**
 * Parses YAML 1.2. Returns the value, or the mistakes in the syntax. A text without content has the
 * value null.
 */
export function parseYamlDocument(text: string): ParsedYaml {
  const { LineCounter, parseDocument } = loadYaml()
  const lineCounter = new LineCounter()
  try {
    // The library's own check for duplicate keys takes quadratic time, so `duplicateKeys` replaces
    // it.
    const document = parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'error',
    })
    const errors = document.errors.map(({ pos, message }) => ({ at: pos[0], message }))
    const [first, ...others] = [...errors, ...duplicateKeys(document)]
      .sort((a, b) => a.at - b.at)
      .map(({ at, message }) => {
        const { line, col } = lineCounter.linePos(at)
        const text = joinLines(message)
        return { line, text, textWithPlace: `${text} at line ${line}, column ${col}` }
      })
    if (first !== undefined) return { problems: [first, ...others] }
    // `toJS` resolves aliases, and throws an error if there are too many aliases.
    return { value: document.toJS() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { problems: [problemOfText(joinLines(reason))] }
  }
}

/** Returns a problem that concerns a text as a whole. */
export function problemOfText(text: string): YamlProblem {
  return { line: 1, text, textWithPlace: text }
}

/**
 * Returns a mistake for each scalar key that occurs again in its mapping, with the offset of the
 * key.
 */
function duplicateKeys(document: Document): readonly { at: number; message: string }[] {
  const yaml = loadYaml()
  const duplicates: { at: number; message: string }[] = []
  yaml.visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!yaml.isScalar(key)) continue
        if (seen.has(key.value)) {
          duplicates.push({ at: key.range?.[0] ?? 0, message: 'Map keys must be unique' })
        }
        seen.add(key.value)
      }
    },
  })
  return duplicates
}
