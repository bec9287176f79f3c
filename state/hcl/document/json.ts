import { readJson } from '../../json/reader.ts'
import type { JsonReaderOptions, JsonSyntaxError } from '../../json/reader-options.ts'
import { Cursor } from '../syntax/cursor.ts'
import { HclError, located } from '../syntax/error.ts'
import type { Position } from '../syntax/source.ts'
import { matchAt } from '../syntax/sticky.ts'
import type { Value } from './value.ts'

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

interface Key {
  readonly key: string
  readonly position: Position
}

/**
 * Reads the JSON form of an HCL1 document. Besides JSON it takes a comma too many before a closing
 * bracket, as the real parser does; unlike that one it does not take a document that is cut short.
 *
 * @throws HclError `3:5: <problem>`
 */
export function readJsonDocument(text: string, maxDepth: number): Value {
  const cursor = new Cursor(text)
  const options: JsonReaderOptions<Value, Key, Position> = {
    maxDepth: maxDepth,
    trailingCommas: true,
    forbiddenAfterNumber: /[0-9.]/,
    forbiddenAfterWord: /[a-z]/,
    isForbidden: (code) => code === 0x0a || code === 0,
    mark(offset) {
      cursor.moveTo(offset)
      return cursor.position
    },
    string: (value) => value,
    number(literal, from) {
      const value = Number(literal)
      if (Number.isFinite(value)) return value
      throw problemAt(`number out of range: ${literal}`, from)
    },
    // HCL1 has no null; its JSON reader makes an empty string of it.
    word: (value) => value ?? '',
    key: (key, position) => ({ key, position }),
    array: (items) => items,
    object: (keys, values) => ({
      items: keys.map((key, at) => {
        const { position: valuePosition } = key
        return { ...key, labels: [], value: values[at] ?? '', valuePosition }
      }),
    }),
    error: (fault) => faultOf(fault, maxDepth),
  }
  return readJson(text, options)
}

function faultOf(fault: JsonSyntaxError, maxDepth: number): HclError {
  const { kind, text, at, token, open } = fault
  const problem = (what: string, offset = at): HclError => {
    const cursor = new Cursor(text)
    cursor.moveTo(offset)
    return problemAt(what, cursor.position)
  }
  const unexpected = (wanted: string, offset = at): HclError => {
    const codePoint = text.codePointAt(offset)
    const found = codePoint === undefined ? 'EOF' : JSON.stringify(String.fromCodePoint(codePoint))
    return problem(`expected: ${wanted} got: ${found}`, offset)
  }
  switch (kind) {
    case 'value':
      return /[a-z]/.test(text.charAt(at)) ? problem('illegal char') : unexpected('a value')
    case 'key':
      return unexpected('STRING')
    case 'colon':
      return unexpected("':'")
    case 'array':
    case 'object':
      return unexpected(`',' or '${kind === 'array' ? ']' : '}'}'`)
    case 'end':
      return unexpected('the end of the document')
    case 'depth':
      return problem(`nested more than ${maxDepth} levels deep`)
    case 'string':
      return problem('literal not terminated')
    case 'escape':
    case 'hexadecimal':
      return problem('illegal char escape', text.lastIndexOf('\\', at - 1) + 1)
    case 'word':
    case 'word end':
      return problem('illegal char', token)
    case 'number':
    case 'fraction':
    case 'exponent':
    case 'number end': {
      const number = matchAt(NUMBER, text, token)?.[0]
      if (number === undefined) return unexpected('a value', token)
      const end = token + number.length
      return /[0-9.]/.test(text.charAt(end))
        ? problem('numbers cannot start with 0', end)
        : unexpected(`',' or '${text[open] === '[' ? ']' : '}'}'`, end)
    }
  }
}

function problemAt(problem: string, at: Position): HclError {
  return new HclError(`${at.line}:${at.column}: ${problem}`, [located(problem, at)])
}
