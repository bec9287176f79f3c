import { isPrintable, quoteGo, unquoteGo } from '../../go/text.ts'
import { endOfString } from '../../json/json.ts'

/**
 * Error for a template that does not parse or whose evaluation fails. The message is Go's, except
 * for the limits of the mock, which have their own messages.
 */
export class TemplateError extends Error {}

/**
 * Operand of an action. `text` is the operand's source text; `at` is the offset of `text` in the
 * template.
 */
export type Operand = { readonly at: number; readonly text: string } & (
  | { readonly kind: 'constant'; readonly value: string | number }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline }
)

/** A function call with its arguments, or a single operand. */
export type Command = readonly [Operand, ...Operand[]]

/**
 * Commands of a pipeline. Each command gets the result of the previous command as its last
 * argument.
 */
export type Pipeline = readonly Command[]

/** Plain text, or the pipeline of an action. */
export type TemplateNode = string | Pipeline

interface Token {
  readonly kind: 'close' | 'space' | 'string' | 'number' | 'field' | 'identifier' | 'mark'
  readonly text: string
  /** Offset in the template, in UTF-16 units. */
  readonly at: number
}

/** Lookahead for the characters that can follow a name, or the end of the text. */
const endOfWord = String.raw`(?=[\s.,|:)(}]|$)`

/**
 * Patterns of the tokens of an action, in the order in which the parser tries them. The function
 * `endOfString` scans strings in double quotes instead.
 */
const tokenPatterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['close', /(?:[ \t\r\n]+-)?\}\}/y],
  ['space', /[ \t\r\n]+/y],
  ['string', /`[^`]*`/y],
  ['number', /[+-]?\d[\p{L}\p{Nd}._]*/uy],
  ['field', new RegExp(String.raw`\.[\p{L}\p{Nd}_]+${endOfWord}`, 'uy')],
  ['identifier', new RegExp(String.raw`[\p{L}_][\p{L}\p{Nd}_]*${endOfWord}`, 'uy')],
  ['mark', new RegExp(String.raw`[!"#$%&'()*+,\-/:;<=>?@[\\\]^{|}~\x60]|\.${endOfWord}`, 'y')],
]

/** Error messages for unterminated strings, by opening quote. */
const unterminatedProblems: Readonly<Record<string, string>> = {
  '"': 'unterminated quoted string',
  '`': 'unterminated raw quoted string',
}

/** Keywords of Go's templates, which name templates do not support. */
const keywords = /^(?:block|break|continue|define|else|end|if|nil|range|template|with)$/

const actionStart = /\{\{(?:-(?=[ \t\r\n]))?/g

/**
 * Maximum nesting of parentheses, so that parsing does not overflow the stack. Go has a similar
 * limit.
 */
const maxDepth = 200

/**
 * Parses the subset of Go's text/template that object names need (named choice
 * `orch-name-template`): plain text, pipelines, parentheses, strings, integers, fields and
 * functions.
 *
 * @param functions the names of the functions that templates can call
 * @throws TemplateError with Go's message, such as `template: template:1: unclosed action`
 */
export function parseTemplate(
  source: string,
  functions: ReadonlySet<string>,
): readonly TemplateNode[] {
  const nodes: TemplateNode[] = []
  let at = 0
  let trimsLeft = false
  for (const open of source.matchAll(actionStart)) {
    if (open.index < at) continue
    const [mark] = open
    const before = source.slice(at, open.index)
    const text = mark.endsWith('-') ? before.trimEnd() : before
    nodes.push(trimsLeft ? text.trimStart() : text)
    const action = new Action(source, open.index, mark.length, functions)
    nodes.push(action.pipeline())
    at = action.end
    trimsLeft = action.trims
  }
  const rest = source.slice(at)
  nodes.push(trimsLeft ? rest.trimStart() : rest)
  return nodes
}

/** Parser of one action: the text between `{{` and `}}`. */
class Action {
  readonly #source: string
  readonly #open: number
  readonly #functions: ReadonlySet<string>
  #token: Token
  #depth = 0

  constructor(source: string, open: number, width: number, functions: ReadonlySet<string>) {
    this.#source = source
    this.#open = open
    this.#functions = functions
    this.#token = { kind: 'space', text: '', at: open + width }
  }

  /** Offset of the first character after the action. */
  get end(): number {
    return this.#token.at + this.#token.text.length
  }

  /** Whether the action removes the white space after it. */
  get trims(): boolean {
    return this.#token.text.endsWith('-}}')
  }

  /**
   * Parses commands up to the closing braces or parenthesis, and leaves these unread. Throws a
   * TemplateError for an invalid pipeline.
   */
  pipeline(context = 'command'): Pipeline {
    const commands: Command[] = []
    this.#skip()
    while (this.#token.kind !== 'close' && this.#token.text !== ')') {
      if (this.#token.kind === 'mark' && this.#token.text !== '(') throw this.#unexpected(context)
      commands.push(this.#command(context))
    }
    if (this.#token.text === ')' && this.#depth === 0)
      throw this.#syntaxError('unexpected right paren')
    if (this.#token.kind === 'close' && this.#depth > 0)
      throw this.#syntaxError('unclosed left paren')
    if (commands.length === 0) throw this.#errorAt(`missing value for ${context}`)
    commands.slice(1).forEach(([first], at) => {
      if (first.kind === 'constant') {
        throw this.#errorAt(`non executable command in pipeline stage ${at + 2}`)
      }
    })
    return commands
  }

  /**
   * Parses operands up to a `|` or the end of the pipeline. Skips the `|`. Throws a TemplateError
   * for any other token.
   */
  #command(context: string): Command {
    const first = this.#operand(context)
    const rest: Operand[] = []
    for (;;) {
      const hasSpace = this.#token.kind === 'space'
      if (hasSpace) this.#next()
      const { kind, text } = this.#token
      if (kind === 'close' || text === ')') return [first, ...rest]
      if (kind === 'mark' && text === '|') {
        this.#skip()
        return [first, ...rest]
      }
      if (!hasSpace) throw this.#unexpected('operand')
      rest.push(this.#operand('operand'))
    }
  }

  #operand(context: string): Operand {
    const { kind, text, at } = this.#token
    switch (kind) {
      case 'string': {
        const value = unquoteGo(text)
        if (value === undefined) throw this.#errorAt('invalid syntax')
        return this.#constant(value)
      }
      case 'number':
        if (/^[+-]?(?:0|[1-9]\d*)$/.test(text)) return this.#constant(Number(text))
        throw this.#errorAt(`bad number syntax: ${JSON.stringify(text)}`)
      case 'field':
        this.#next()
        return { kind, name: text.slice(1), at, text }
      case 'identifier':
        if (keywords.test(text)) throw this.#unexpected(context)
        if (!this.#functions.has(text)) {
          throw this.#errorAt(`function ${JSON.stringify(text)} not defined`)
        }
        this.#next()
        return { kind: 'function', name: text, at, text }
    }
    if (text !== '(') throw this.#unexpected(context)
    this.#depth += 1
    if (this.#depth > maxDepth) throw this.#errorAt('max expression depth exceeded')
    const pipeline = this.pipeline('parenthesized pipeline')
    this.#depth -= 1
    const end = this.end
    this.#next()
    return { kind: 'pipeline', pipeline, at, text: this.#source.slice(at, end) }
  }

  #constant(value: string | number): Operand {
    const { at, text } = this.#token
    const { kind, text: next } = this.#next()
    if (kind === 'field')
      throw this.#errorAt(`unexpected ${next.charAt(0)} after term ${quoteGo(text)}`)
    return { kind: 'constant', value, at, text }
  }

  /** Moves to the next token, skipping white space. */
  #skip(): void {
    if (this.#next().kind === 'space') this.#next()
  }

  #next(): Token {
    const at = this.end
    if (at >= this.#source.length) throw this.#syntaxError('unclosed action', at)
    const quotedEnd = this.#source[at] === '"' ? endOfString(this.#source, at, true) : -1
    if (quotedEnd > 0) {
      this.#token = { kind: 'string', text: this.#source.slice(at, quotedEnd + 1), at }
      return this.#token
    }
    for (const [kind, form] of tokenPatterns) {
      form.lastIndex = at
      const text = form.exec(this.#source)?.[0]
      if (text === undefined) continue
      const problem = kind === 'mark' ? unterminatedProblems[text] : undefined
      if (problem !== undefined) throw this.#syntaxError(problem, at)
      this.#token = { kind, text, at }
      return this.#token
    }
    // After a name, Go reports an invalid character as a bad character of the name; otherwise as an
    // unrecognized character.
    const name = /^\.?[\p{L}\p{Nd}_]*/u.exec(this.#source.slice(at))?.[0] ?? ''
    const character = String.fromCodePoint(this.#source.codePointAt(at + name.length) ?? 0)
    const problem = name === '' ? 'unrecognized character in action:' : 'bad character'
    throw this.#syntaxError(`${problem} ${codePoint(character)}`, at)
  }

  #unexpected(context: string): TemplateError {
    const { text } = this.#token
    const quoted = text.length > 10 ? `${quoteGo(text.slice(0, 10))}...` : quoteGo(text)
    return this.#errorAt(`unexpected ${keywords.test(text) ? `<${text}>` : quoted} in ${context}`)
  }

  /**
   * Returns a syntax error at an offset. If the action starts on another line, the message contains
   * the number of that line.
   */
  #syntaxError(why: string, at = this.#token.at): TemplateError {
    const line = lineOf(this.#source, this.#open)
    if (line === lineOf(this.#source, at)) return this.#errorAt(why, at)
    const where = why.endsWith(' action') ? '' : ' in action'
    return this.#errorAt(`${why}${where} started at template:${line}`, at)
  }

  #errorAt(why: string, at = this.#token.at): TemplateError {
    return new TemplateError(`template: template:${lineOf(this.#source, at)}: ${why}`)
  }
}

function lineOf(source: string, at: number): number {
  return source.slice(0, at).split('\n').length
}

/** Formats a character as Go's `%#U` does. */
function codePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return isPrintable(character) ? `U+${code} '${character}'` : `U+${code}`
}
