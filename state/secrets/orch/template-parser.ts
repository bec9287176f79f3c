import { quoteGo, unquoteGo } from '../../go/text.ts'
import { describeToken, lexTemplate, TemplateError, type TemplateToken } from './template-lexer.ts'

/** What an action works with. `text` is the source, `at` where it begins there. */
export type Operand = { readonly at: number; readonly text: string } & (
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  | { readonly kind: 'dot' }
  | { readonly kind: 'field'; readonly names: readonly string[] }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline }
)

/** A call, or a single operand: the first with the others as its arguments. */
export type Command = readonly [Operand, ...Operand[]]

/** Commands of which each hands its result to the next as the last argument. */
export type Pipeline = readonly Command[]

/** A part of a template. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if'
      readonly pipeline: Pipeline
      readonly then: readonly TemplateNode[]
      readonly otherwise: readonly TemplateNode[]
    }

/** What ends a list of nodes within an `if`. */
type Ending = 'end' | 'else' | 'else if'

/** Deeper nesting would cost the stack; Go has such a limit too. */
const deepest = 200

/**
 * Parses a template of Go's text/template: texts, pipelines, parentheses, constants, fields and
 * if-else. Loops, variables of one's own and templates within templates are refused: a name needs
 * none (named choice `orch-name-template`).
 *
 * @param functions the names of the functions there are.
 * @throws TemplateError with Go's text: `template: template:1: unclosed action`.
 */
export function parseTemplate(
  source: string,
  functions: ReadonlySet<string>,
): readonly TemplateNode[] {
  return new Parser(source, functions).whole()
}

class Parser {
  readonly #source: string
  readonly #functions: ReadonlySet<string>
  readonly #tokens: Generator<TemplateToken>
  #token: TemplateToken = { kind: 'end', text: '', at: 0 }
  #depth = 0

  constructor(source: string, functions: ReadonlySet<string>) {
    this.#source = source
    this.#functions = functions
    this.#tokens = lexTemplate(source, (why, at) => this.#fault(why, at))
  }

  whole(): readonly TemplateNode[] {
    this.#next()
    const { nodes, ending } = this.#list()
    if (ending !== '') throw this.#fault(`unexpected {{${ending.slice(0, 4).trim()}}}`)
    return nodes
  }

  #next(): TemplateToken {
    const { value } = this.#tokens.next()
    // The last token says that there are no more; nobody reads on after it.
    if (value !== undefined && 'kind' in value) this.#token = value
    return this.#token
  }

  /** The next token that is no white space. */
  #skip(): TemplateToken {
    while (this.#next().kind === 'space');
    return this.#token
  }

  #fault(why: string, at = this.#token.at): TemplateError {
    const line = this.#source.slice(0, at).split('\n').length
    return new TemplateError(`template: template:${line}: ${why}`)
  }

  #unexpected(context: string): TemplateError {
    return this.#fault(`unexpected ${describeToken(this.#token)} in ${context}`)
  }

  /** Nodes up to the end of the text, or to an `end` or `else`, which is read over. */
  #list(): { readonly nodes: readonly TemplateNode[]; readonly ending: '' | Ending } {
    const nodes: TemplateNode[] = []
    for (;;) {
      const { kind, text } = this.#token
      if (kind === 'end') return { nodes, ending: '' }
      if (kind === 'text') {
        nodes.push({ kind, text })
        this.#next()
        continue
      }
      const word = this.#skip()
      if (word.kind === 'keyword' && (word.text === 'end' || word.text === 'else')) {
        return { nodes, ending: this.#ending(word.text) }
      }
      nodes.push(this.#action(word))
    }
  }

  /** Reads over an `end` or `else` up to its braces, or to the `if` that follows the `else`. */
  #ending(word: 'end' | 'else'): Ending {
    const { kind, text } = this.#skip()
    if (word === 'else' && kind === 'keyword' && text === 'if') {
      this.#skip()
      return 'else if'
    }
    if (kind !== 'close') throw this.#unexpected(word)
    this.#next()
    return word
  }

  /** An action whose braces have been opened; leaves the token after them. */
  #action(word: TemplateToken): TemplateNode {
    if (word.kind !== 'keyword' || word.text !== 'if') {
      const pipeline = this.#pipeline('command')
      this.#next()
      return { kind: 'action', pipeline }
    }
    this.#skip()
    return this.#nested(() => this.#if())
  }

  #if(): TemplateNode {
    const pipeline = this.#pipeline('if')
    this.#next()
    const { nodes: then, ending } = this.#list()
    if (ending === '') throw this.#fault('unexpected EOF')
    if (ending === 'end') return { kind: 'if', pipeline, then, otherwise: [] }
    if (ending === 'else if') {
      return { kind: 'if', pipeline, then, otherwise: [this.#nested(() => this.#if())] }
    }
    const last = this.#list()
    if (last.ending === '') throw this.#fault('unexpected EOF')
    if (last.ending !== 'end') throw this.#fault('expected end; found {{else}}')
    return { kind: 'if', pipeline, then, otherwise: last.nodes }
  }

  #nested<T>(parse: () => T): T {
    this.#depth += 1
    if (this.#depth > deepest) throw this.#fault('max expression depth exceeded')
    const parsed = parse()
    this.#depth -= 1
    return parsed
  }

  /** Commands up to the closing braces or parenthesis, which are left. */
  #pipeline(context: string): Pipeline {
    const commands: Command[] = []
    if (this.#token.kind === 'space') this.#skip()
    while (this.#token.kind !== 'close' && this.#token.text !== ')') {
      if (this.#token.kind === 'mark' && this.#token.text !== '(') throw this.#unexpected(context)
      commands.push(this.#command(context))
    }
    if (commands.length === 0) throw this.#fault(`missing value for ${context}`)
    commands.slice(1).forEach(([first], at) => {
      if (first.kind === 'constant' || first.kind === 'dot') {
        throw this.#fault(`non executable command in pipeline stage ${at + 2}`)
      }
    })
    return commands
  }

  /** Operands up to a `|`, which is read over, or to the end of the pipeline. */
  #command(context: string): Command {
    const first = this.#operand(context)
    const rest: Operand[] = []
    for (;;) {
      const spaced = this.#token.kind === 'space'
      if (spaced) this.#skip()
      const { kind, text } = this.#token
      if (kind === 'close' || text === ')') return [first, ...rest]
      if (kind === 'mark' && text === '|') {
        this.#skip()
        return [first, ...rest]
      }
      if (!spaced) throw this.#unexpected('operand')
      rest.push(this.#operand('operand'))
    }
  }

  #operand(context: string): Operand {
    const { kind, text, at } = this.#token
    const constant = (value: string | number | boolean | null): Operand => {
      if (this.#next().kind === 'field') {
        throw this.#fault(`unexpected . after term ${quoteGo(text)}`)
      }
      return { kind: 'constant', value, at, text }
    }
    if (kind === 'string') return constant(this.#unquoted(text))
    if (kind === 'character') return constant(this.#character(text))
    if (kind === 'number') return constant(this.#number(text))
    if (kind === 'boolean') return constant(text === 'true')
    if (kind === 'keyword' && text === 'nil') return constant(null)
    if (kind === 'field' || (kind === 'variable' && text === '$')) return this.#fields()
    if (kind === 'variable') throw this.#fault(`undefined variable ${JSON.stringify(text)}`)
    if (kind === 'dot') {
      this.#next()
      return { kind, at, text }
    }
    if (kind === 'identifier') {
      if (!this.#functions.has(text)) {
        throw this.#fault(`function ${JSON.stringify(text)} not defined`)
      }
      this.#next()
      return { kind: 'function', name: text, at, text }
    }
    if (text !== '(') throw this.#unexpected(context)
    this.#skip()
    const pipeline = this.#nested(() => this.#pipeline('parenthesized pipeline'))
    if (this.#token.text !== ')') throw this.#unexpected('parenthesized pipeline')
    const end = this.#token.at + 1
    this.#next()
    return { kind: 'pipeline', pipeline, at, text: this.#source.slice(at, end) }
  }

  /** `.A.B`, also with the `$` that stands for the whole data. Go places a chain at its second part. */
  #fields(): Operand {
    const start = this.#token
    const names = start.kind === 'field' ? [start.text.slice(1)] : []
    let { at } = start
    while (this.#next().kind === 'field') {
      names.push(this.#token.text.slice(1))
      if (at === start.at) at = this.#token.at
    }
    const text = this.#source.slice(start.at, this.#token.at)
    return names.length === 0 ? { kind: 'dot', at, text } : { kind: 'field', names, at, text }
  }

  #character(text: string): number {
    const value = this.#unquoted(text)
    if (Array.from(value).length !== 1) {
      throw this.#fault(`malformed character constant: ${text}`)
    }
    return value.codePointAt(0) ?? 0
  }

  #unquoted(text: string): string {
    const value = unquoteGo(text)
    if (value === undefined) throw this.#fault('invalid syntax')
    return value
  }

  #number(text: string): number {
    const digits = text.replaceAll('_', '').replace(/^([+-]?)0(?=\d+$)/, '$10o')
    const sign = digits.startsWith('-') ? -1 : 1
    const value = sign * Number(digits.replace(/^[+-]/, ''))
    if (Number.isNaN(value)) throw this.#fault(`bad number syntax: ${JSON.stringify(text)}`)
    return value
  }
}
