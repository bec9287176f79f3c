/** Any JSON value, numbers that a double would change included. */
export type Json = null | boolean | number | string | JsonNumber | Json[] | JsonObject

/** A JSON object. Keys such as `__proto__` are ordinary data, always own properties. */
export type JsonObject = { [key: string]: Json }

/**
 * A number whose text a JavaScript number would not give back, such as `12345678901234567890`,
 * `1.10` or `1e3`: the services keep a number's literal and send it back as it came.
 */
export class JsonNumber {
  /** The literal, valid by the JSON grammar. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The nearest double; only for printers that know nothing of this class. */
  toJSON(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }
}

/** True for objects, which arrays, null and number literals are not. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  )
}

/** Sets a member as data. Plain assignment to `__proto__` would change the prototype instead. */
export function setMember<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key !== '__proto__') {
    object[key] = value
    return
  }
  Object.defineProperty(object, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
}

/** Makes a value throw that is changed in place, at whatever depth. */
export function deepFreeze(value: object): void {
  if (Object.isFrozen(value)) return
  Object.freeze(value)
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member)
  }
}
