import { isPrintable, quoteGo } from '../../go/text.ts'

/** A template that cannot be parsed or applied; the message is Go's, without what Go puts before it. */
export class TemplateError extends Error {}

/**
 * Longer texts are refused when a template is applied: functions within functions could make them
 * grow without end, and no name comes near it.
 */
export const longestText = 4096

/** A piece of a template, in the order of the text. */
export interface TemplateToken {
  readonly kind:
    | 'text'
    | 'open'
    | 'close'
    | 'space'
    | 'string'
    | 'character'
    | 'number'
    | 'boolean'
    | 'dot'
    | 'field'
    | 'variable'
    | 'identifier'
    | 'keyword'
    | 'mark'
    | 'end'
  readonly text: string
  /** Where it begins, in UTF-16 units. */
  readonly at: number
}

/** Words of the language that are no functions. */
const keywords: ReadonlySet<string> = new Set([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
])

/** Makes the fault that a text shows at some place. */
type Fail = (why: string, at: number) => TemplateError

/** What may follow a name. */
const atEnd = String.raw`(?=[\s.,|:)(}]|$)`

/** The tokens of an action by kind, tried in this order. */
const inAction: readonly (readonly [TemplateToken['kind'], RegExp])[] = [
  ['space', /[ \t\r\n]+/y],
  ['string', /"(?:\\[^\n]|[^"\\\n])*"/y],
  ['string', /`[^`]*`/y],
  ['character', /'(?:\\[^\n]|[^'\\\n])*'/y],
  ['number', /[+-]?(?:\d|\.\d)(?:[eE][+-]|[\p{L}\p{Nd}._])*/uy],
  ['field', new RegExp(String.raw`\.[\p{L}\p{Nd}_]+${atEnd}`, 'uy')],
  ['dot', new RegExp(String.raw`\.${atEnd}`, 'uy')],
  ['variable', new RegExp(String.raw`\$[\p{L}\p{Nd}_]*${atEnd}`, 'uy')],
  ['identifier', new RegExp(String.raw`[\p{L}_][\p{L}\p{Nd}_]*${atEnd}`, 'uy')],
  ['mark', /:=|[!"#%&'()*+,\-/:;<=>?@[\\\]^`{|}~]/y],
]

/** Faults that the lexer sees, by what the rest of an action begins with. */
const faults: readonly (readonly [RegExp, string])[] = [
  [/"/y, 'unterminated quoted string'],
  [/`/y, 'unterminated raw quoted string'],
  [/'/y, 'unterminated character constant'],
]

/**
 * Cuts a template of Go's text/template into tokens: texts, and the parts of actions between `{{`
 * and `}}`. Comments are left out, texts trimmed where `{{-` and `-}}` say so.
 *
 * @throws TemplateError by `fail`, which adds the place.
 */
export function* lexTemplate(source: string, fail: Fail): Generator<TemplateToken> {
  let trimmed = false
  for (let at = 0; at < source.length; ) {
    const open = source.indexOf('{{', at)
    const end = open < 0 ? source.length : open
    const trims = open >= 0 && /^-[ \t\r\n]/.test(source.slice(open + 2, open + 4))
    const raw = source.slice(at, end)
    const started = trimmed ? raw.trimStart() : raw
    const text = trims ? started.trimEnd() : started
    if (text !== '') yield { kind: 'text', text, at }
    if (open < 0) break
    const inside = open + 2 + (trims ? 2 : 0)
    const closed = source.startsWith('/*', inside)
      ? skipComment(source, inside, fail)
      : yield* lexAction(source, open, inside, fail)
    at = closed.at
    trimmed = closed.trims
  }
  yield { kind: 'end', text: '', at: source.length }
}

/** Where the text goes on after an action, and whether its white space is cut there. */
interface Closed {
  readonly at: number
  readonly trims: boolean
}

const closing = /(?:[ \t\r\n]+(-))?\}\}/y

function closeAt(source: string, at: number): Closed | undefined {
  closing.lastIndex = at
  const found = closing.exec(source)
  if (found === null) return undefined
  return { at: closing.lastIndex, trims: found[1] !== undefined }
}

function skipComment(source: string, at: number, fail: Fail): Closed {
  const end = source.indexOf('*/', at + 2)
  if (end < 0) throw fail('unclosed comment', at)
  const closed = closeAt(source, end + 2)
  if (closed === undefined) throw fail('comment ends before closing delimiter', at)
  return closed
}

function* lexAction(
  source: string,
  open: number,
  inside: number,
  plainFail: Fail,
): Generator<TemplateToken, Closed> {
  yield { kind: 'open', text: '{{', at: open }
  const fail: Fail = (why, at) => plainFail(why + startOf(source, open, at, why), at)
  let parentheses = 0
  for (let at = inside; at < source.length; ) {
    const closed = closeAt(source, at)
    if (closed !== undefined) {
      if (parentheses > 0) throw fail('unclosed left paren', at)
      yield { kind: 'close', text: '}}', at }
      return closed
    }
    const token = tokenAt(source, at, fail)
    if (token.text === '(') parentheses += 1
    if (token.text === ')') parentheses -= 1
    if (parentheses < 0) throw fail('unexpected right paren', at)
    yield token
    at += token.text.length
  }
  throw fail('unclosed action', source.length)
}

/** Where an action began that goes wrong in a later line. */
function startOf(source: string, open: number, at: number, why: string): string {
  if (!source.slice(open, at).includes('\n')) return ''
  const line = source.slice(0, open).split('\n').length
  return `${why.endsWith(' action') ? '' : ' in action'} started at template:${line}`
}

function tokenAt(source: string, at: number, fail: Fail): TemplateToken {
  for (const [kind, form] of inAction) {
    form.lastIndex = at
    const text = form.exec(source)?.[0]
    if (text === undefined) continue
    const fault = faults.find(([begin]) => {
      begin.lastIndex = at
      return kind === 'mark' && begin.test(source)
    })
    if (fault !== undefined) throw fail(fault[1], at)
    if (kind === 'identifier') return { kind: kindOfWord(text), text, at }
    return { kind, text, at }
  }
  // A name that something stands next to which cannot, else what stands nowhere in an action.
  begunName.lastIndex = at
  const name = begunName.exec(source)?.[0] ?? ''
  const character = String.fromCodePoint(source.codePointAt(at + name.length) ?? 0)
  const fault = name === '' ? 'unrecognized character in action:' : 'bad character'
  throw fail(`${fault} ${codePoint(character)}`, at)
}

const begunName = /[.$]?[\p{L}\p{Nd}_]*/uy

function kindOfWord(word: string): TemplateToken['kind'] {
  if (word === 'true' || word === 'false') return 'boolean'
  return keywords.has(word) ? 'keyword' : 'identifier'
}

/** As Go's `%#U`. */
function codePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return isPrintable(character) ? `U+${code} '${character}'` : `U+${code}`
}

/** A token as Go's messages show it. */
export function describeToken({ kind, text }: TemplateToken): string {
  if (kind === 'end') return 'EOF'
  if (kind === 'keyword') return `<${text}>`
  return text.length > 10 ? `${quoteGo(text.slice(0, 10))}...` : quoteGo(text)
}
