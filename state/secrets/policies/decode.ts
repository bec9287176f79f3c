import { isDocument, isList } from '../../hcl/document/document.ts'
import type { Document, Item, Value } from '../../hcl/document/value.ts'
import type { Position } from '../../hcl/syntax/source.ts'
import { type Json, type JsonObject, setMember } from '../../kernel/json.ts'

/** Error for a value of the wrong type in a policy, with the message of the reference's decoder. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DecodeError'
  }
}

/**
 * Decoder for the members of a stanza. Works like the reference's HCL decoder: repeated attributes
 * add to lists and maps, and errors contain the position of the value.
 */
export class StanzaDecoder {
  readonly #isJson: boolean

  /** @param isJson whether the document is JSON, for which errors contain no positions */
  constructor(isJson: boolean) {
    this.#isJson = isJson
  }

  /**
   * Decodes a string. If the key is repeated, returns the last value. Converts a whole number to a
   * string.
   *
   * @param name name of the member in error messages: `root.Policy`
   * @returns undefined for a missing key
   * @throws DecodeError for any other value
   */
  text({ items }: Document, key: string, name: string): string | undefined {
    let text: string | undefined
    for (const { value, valuePosition } of itemsNamed(items, key)) {
      // As in the reference, the error for an object is about the object's list of items, which has
      // no position.
      if (isDocument(value))
        throw this.#errorAt(undefined, `${name}: ${notATextMessage('ObjectList')}`)
      text = this.#textOf(value, valuePosition, name)
    }
    return text
  }

  /**
   * Decodes a list of strings. Returns an empty list for a missing key. As in the reference,
   * accepts an empty object as an empty list.
   * @throws DecodeError for any other value
   */
  texts({ items }: Document, key: string, name: string): string[] {
    const texts: string[] = []
    for (const item of itemsNamed(items, key)) {
      const { labels, value, position, valuePosition, elementPositions = [] } = item
      if (labels.length > 0)
        throw this.#errorAt(position, `${name}[0]: ${notATextMessage('ObjectItem')}`)
      if (isDocument(value)) {
        const [first] = value.items
        if (first === undefined) continue
        throw this.#errorAt(first.position, `${name}[0]: ${notATextMessage('ObjectItem')}`)
      }
      if (!isList(value)) throw this.#errorAt(valuePosition, notAListMessage)
      // As in the reference, booleans in lists of a JSON document are dropped.
      const elements = this.#isJson ? value.filter((each) => typeof each !== 'boolean') : value
      for (const [at, each] of elements.entries()) {
        texts.push(this.#textOf(each, elementPositions[at], `${name}[${at}]`))
      }
    }
    return texts
  }

  /**
   * Decodes lists of values by parameter name. Returns undefined for a missing key.
   * @throws DecodeError for values other than lists and objects
   */
  parameters({ items }: Document, key: string): Map<string, readonly Json[]> | undefined {
    const lists = new Map<string, Json[]>()
    const name = `root.${key}`
    const found = itemsNamed(items, key)
    const add = (parameter: string, values: readonly Json[]): void => {
      lists.set(parameter, [...(lists.get(parameter) ?? []), ...values])
    }
    for (const { labels, value, valuePosition } of found) {
      const [parameter] = labels
      if (parameter !== undefined) {
        if (labels.length > 1 || !isDocument(value)) throw interfaceError(`${name}.${parameter}[0]`)
        add(parameter, [jsonOf(value)])
        continue
      }
      for (const map of this.maps(value, valuePosition, name)) {
        for (const member of map.items) {
          if (member.labels.length > 0) throw interfaceError(`${name}.${member.key}[0]`)
          add(member.key, this.#values(member))
        }
      }
    }
    return found.length === 0 ? undefined : lists
  }

  /**
   * Returns a value that must be a map, as a list with that map. In JSON, a list of maps is also
   * valid and is returned unchanged.
   * @throws DecodeError for any other value
   */
  maps(value: Value, position: Position, name: string): readonly Document[] {
    if (isDocument(value)) return [value]
    if (this.#isJson && isList(value) && value.length > 0 && value.every(isDocument)) return value
    throw this.#errorAt(position, `${name}: not an object type for map (${kindOf(value)})`)
  }

  /**
   * Returns a value that must be an object.
   * @throws DecodeError for any other value
   */
  struct(value: Value, position: Position, name: string): Document {
    if (isDocument(value)) return value
    throw this.#errorAt(position, `${name}: not an object type for struct (${kindOf(value)})`)
  }

  #values({ value, valuePosition }: Item): readonly Json[] {
    if (isList(value)) return value.map(jsonOf)
    if (isDocument(value)) return [jsonOf(value)]
    throw this.#errorAt(valuePosition, notAListMessage)
  }

  #textOf(value: Value, position: Position | undefined, name: string): string {
    if (typeof value === 'string') return value
    if (typeof value === 'number' && Number.isInteger(value)) return String(value)
    throw this.#errorAt(position, `${name}: unknown type for string ${kindOf(value)}`)
  }

  #errorAt(position: Position | undefined, why: string): DecodeError {
    const at = this.#isJson || position === undefined ? '-' : `${position.line}:${position.column}`
    return new DecodeError(`At ${at}: ${why}`)
  }
}

const notAListMessage = 'unknown slice type: *ast.LiteralType'

function notATextMessage(kind: string): string {
  return `unknown type for string *ast.${kind}`
}

function interfaceError(name: string): DecodeError {
  return new DecodeError(`${name}: cannot decode into interface: *ast.ObjectItem`)
}

/** Returns the items with a key. As in the reference, items with labels come first. */
export function itemsNamed(items: readonly Item[], key: string): Item[] {
  const named = items.filter((item) => item.key === key)
  const [labelled, others] = [
    named.filter(({ labels }) => labels.length > 0),
    named.filter(({ labels }) => labels.length === 0),
  ]
  return [...labelled, ...others]
}

/** Returns the reference's name for the type of a value. */
export function kindOf(value: Value): string {
  return `*ast.${isList(value) ? 'ListType' : isDocument(value) ? 'ObjectType' : 'LiteralType'}`
}

/**
 * Converts a value to JSON. As in the reference, an object inside another object becomes a list
 * with one item.
 */
function jsonOf(value: Value): Json {
  if (isList(value)) return value.map(jsonOf)
  if (!isDocument(value)) return value
  const object: JsonObject = {}
  for (const { key, labels, value: memberValue } of value.items) {
    const member = labels.reduceRight<Json>(
      (nested, label) => [{ [label]: nested }],
      isDocument(memberValue) ? [jsonOf(memberValue)] : jsonOf(memberValue),
    )
    setMember(object, key, member)
  }
  return object
}
