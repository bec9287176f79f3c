/** Any JSON value, including numbers that a double would change. */
export type Json = null | boolean | number | string | JsonNumber | Json[] | JsonObject

/** A JSON object. Keys such as `__proto__` are ordinary data, always own properties. */
export type JsonObject = { [key: string]: Json }

/**
 * A number whose text a JavaScript number would not reproduce, such as `12345678901234567890`,
 * `1.10` or `1e3`. The services keep the literal and return it unchanged.
 */
export class JsonNumber {
  /** The literal, valid by the JSON grammar. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Returns the nearest double. Only serializers that do not know this class call this method. */
  toJSON(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }
}

/** Returns whether a value is an object; arrays, null and number literals are not. */
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

/**
 * Freezes a value and everything in it, so that a later change throws. A part that is already
 * frozen counts as deeply frozen and is skipped.
 */
export function deepFreeze(value: object): void {
  if (Object.isFrozen(value)) return
  const pending = [Object.freeze(value)]
  for (let object = pending.pop(); object !== undefined; object = pending.pop()) {
    for (const member of Object.values(object)) {
      if (typeof member !== 'object' || member === null || Object.isFrozen(member)) continue
      pending.push(Object.freeze(member))
    }
  }
}
