import type { Document, ParsedNode, YAMLMap, YAMLParseError, YAMLSeq } from 'yaml'
import { quoteGo } from '../../go/text.ts'
import { loadYaml, parseYaml } from '../../go/yaml.ts'
import { ConversionError, convertValue } from '../language/convert.ts'
import { FunctionError, type HclFunctionContext } from '../language/function.ts'
import { typeName } from '../language/types.ts'
import { type HclValue, isMapping } from '../language/values.ts'
import { asText, type FunctionTable, nullable, parameter, tupleOf } from './arguments.ts'
import { encodeYaml } from './yaml-emitter.ts'
import { resolveScalar, type YamlScalar } from './yaml-scalars.ts'

type Spend = HclFunctionContext['spend']

/** Functions that encode and decode YAML (behaviour/scheduler#functions). */
export const yamlFunctions: FunctionTable = {
  yamldecode: {
    parameters: [parameter('src', 'string')],
    run: ([text], { spend }) => decodeYaml(asText(text), spend),
  },
  yamlencode: {
    parameters: [nullable('value', 'any')],
    run: ([value = null], { spend }) => encodeYaml(value, spend),
  },
}

/** Cost factor of parsing, per character of the text. */
const parseCost = 10

/** Pattern of characters that YAML allows only in escaped form. */
const unprintablePattern = /[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

function decodeYaml(text: string, spend: Spend): HclValue {
  spend(text.length * parseCost)
  if (unprintablePattern.test(text)) throw new FunctionError('control characters are not allowed')
  let document: Document<ParsedNode> | undefined
  try {
    document = parseYaml(text, { schema: 'failsafe', rejectsSecondDocument: true })
  } catch {
    // The depth check in `parseYaml` misses unusual forms of nesting, for which the parser may
    // overflow the stack and throw.
  }
  if (document === undefined) {
    throw new FunctionError('the document is too long or nests too deeply')
  }
  return new Decoder(text, spend).decode(document)
}

/** Messages of the reference's parser, by the library's error codes. */
const syntaxErrors: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'found unknown escape character',
  BAD_PROP_ORDER: 'did not find expected node content',
  BAD_SCALAR_START: 'found character that cannot start any token',
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BLOCK_IN_FLOW: 'did not find expected node content',
  TAB_AS_INDENT: 'found a tab character that violates indentation',
}

/** Error codes to ignore, because the decoder below resolves unknown tags and aliases itself. */
const ignoredErrorCodes = new Set(['TAG_RESOLVE_FAILED', 'BAD_ALIAS'])

/**
 * A decoded value, and the number of values that it contains, including the value itself. A shared
 * value is counted at each occurrence.
 */
interface SizedValue {
  readonly value: HclValue
  readonly size: number
}

class Decoder {
  readonly #text: string
  readonly #spend: Spend
  readonly #library = loadYaml()
  /** Values by anchor; undefined until the value is complete. */
  readonly #anchors = new Map<string, SizedValue | undefined>()

  constructor(text: string, spend: Spend) {
    this.#text = text
    this.#spend = spend
  }

  decode(document: Document<ParsedNode>): HclValue {
    const error = document.errors.find(({ code }) => !ignoredErrorCodes.has(code))
    if (error !== undefined) throw this.#syntaxError(error, error.pos[0])
    const { yaml } = document.directives ?? {}
    if (yaml?.explicit && yaml.version !== '1.1') {
      throw new FunctionError('found incompatible YAML document')
    }
    if (document.contents === null && document.directives?.docStart !== true) {
      throw this.#error('missing start of document', this.#text.trimEnd().length + 1, 1)
    }
    return this.#node(document.contents).value
  }

  #syntaxError({ code, message }: Pick<YAMLParseError, 'code' | 'message'>, at: number) {
    if (code === 'MULTIPLE_DOCS') {
      return this.#error('unexpected extra content after value', at)
    }
    const line = this.#text.slice(0, at).split('\n').length
    const [, closingBracket] =
      /^Flow .* must .*(?:end with a |be sufficiently indented and end with a )(.)/.exec(message) ??
      []
    if (closingBracket !== undefined) {
      const wanted = `did not find expected ',' or '${closingBracket}'`
      return new FunctionError(`on line ${line}, column 1: ${wanted}`)
    }
    const missing =
      at >= this.#text.length ? 'found unexpected end of stream' : 'did not find expected key'
    const why = syntaxErrors[code] ?? missing
    return new FunctionError(line === 1 ? why : `on line ${line}, column 1: ${why}`)
  }

  /**
   * Returns an error with the position in the reference's form. Lines count from 0; on line 0, the
   * message has no position.
   */
  #error(why: string, at: number, lineAtLeast = 0): FunctionError {
    const lines = this.#text.slice(0, at).split('\n')
    const line = Math.max(lines.length - 1, lineAtLeast)
    const column = lineAtLeast > 0 ? 1 : Array.from(lines.at(-1) ?? '').length + 1
    return new FunctionError(line === 0 ? why : `on line ${line}, column ${column}: ${why}`)
  }

  #node(node: ParsedNode | null): SizedValue {
    this.#spend(1)
    if (node === null) return { value: null, size: 1 }
    const { isAlias, isMap, isSeq } = this.#library
    const at = node.range[0]
    if (isAlias(node)) return this.#alias(node.source, at)
    const { anchor } = node
    if (anchor !== undefined) this.#anchors.set(anchor, undefined)
    let sizedValue: SizedValue
    if (isMap(node)) sizedValue = this.#mapping(node, at)
    else if (isSeq(node)) sizedValue = this.#sequence(node, at)
    else sizedValue = { value: this.#scalar(node, at), size: 1 }
    if (anchor !== undefined) this.#anchors.set(anchor, sizedValue)
    return sizedValue
  }

  #alias(name: string, at: number): SizedValue {
    const sizedValue = this.#anchors.get(name)
    if (sizedValue === undefined) {
      const why = this.#anchors.has(name)
        ? `cannot refer to anchor ${quoteGo(name)} from inside its own definition`
        : `reference to undefined anchor ${quoteGo(name)}`
      throw this.#error(why, at)
    }
    // An alias shares the value in memory, but every traversal of the result visits it again.
    this.#spend(sizedValue.size)
    return sizedValue
  }

  #scalar(node: YamlScalar & { readonly tag?: string }, at: number): HclValue {
    try {
      const resolved = resolveScalar(node)
      return resolved === 'merge' ? '<<' : resolved.value
    } catch (error) {
      throw error instanceof FunctionError
        ? this.#error(error.message, this.#startOffset(node, at))
        : error
    }
  }

  /** Returns the offset at which a node begins, including a tag before it. */
  #startOffset({ tag }: { readonly tag?: string }, at: number): number {
    return tag === undefined ? at : Math.max(this.#text.lastIndexOf('!', at) - 1, 0)
  }

  #sequence(node: YAMLSeq.Parsed, at: number): SizedValue {
    this.#checkTag('sequence', 'seq', node, at)
    const items = node.items.map((item) => this.#node(item))
    return {
      value: tupleOf(items.map(({ value }) => value)),
      size: items.reduce((total, { size }) => total + size, 1),
    }
  }

  #checkTag(name: string, tag: string, node: { readonly tag?: string }, at: number): void {
    if (node.tag === undefined || node.tag === `tag:yaml.org,2002:${tag}`) return
    throw this.#error(`can't interpret ${name} as ${node.tag}`, this.#startOffset(node, at))
  }

  #mapping(node: YAMLMap.Parsed, at: number): SizedValue {
    this.#checkTag('mapping', 'map', node, at)
    const entries = new Map<string, HclValue>()
    let total = 1
    for (const { key, value: item } of node.items) {
      const name = this.#key(key)
      const { value, size } = this.#node(item)
      total += size
      if (name !== undefined) {
        entries.set(name, value)
        continue
      }
      if (!isMapping(value)) {
        throw this.#error(`cannot merge ${typeName(value)} into mapping`, key.range[0])
      }
      for (const [mergedKey, member] of value.entries) entries.set(mergedKey, member)
    }
    return { value: { kind: 'object', entries }, size: total }
  }

  /**
   * Returns the text of a key; undefined for the merge key `<<`. Throws a FunctionError for a key
   * that is null or cannot be a string.
   */
  #key(node: ParsedNode): string | undefined {
    if (!this.#library.isScalar(node)) {
      throw this.#error('only strings are allowed as mapping keys', node.range[0])
    }
    const resolved = resolveScalar(node)
    if (resolved === 'merge') return undefined
    if (resolved.value === null) throw this.#error('mapping key cannot be null', node.range[0])
    try {
      return asText(convertValue(resolved.value, 'string'))
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error
      throw this.#error('only strings are allowed as mapping keys', node.range[0])
    }
  }
}
