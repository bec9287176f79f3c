/**
 * Returns the prefix of all keys in a namespace. The parts of a key are separated by a space, which
 * occurs neither in namespaces nor in job IDs. As the space sorts before all characters of the
 * parts, keys sort by their parts (behaviour/scheduler#list-jobs: namespace, then ID).
 */

export function namespacePrefix(namespace: string): string {
  return `${namespace} `
}

/**
 * Returns the key of a job. A row that exists once per job, such as the job's summary, is stored
 * under this key as well.
 */
export function jobKey(namespace: string, id: string): string {
  return `${namespace} ${id}`
}

/** Returns the key prefix of rows that belong to a job. */
export function jobItemPrefix(namespace: string, id: string): string {
  return `${namespace} ${id} `
}

/**
 * Returns the key of a row that belongs to a job, such as an evaluation, an allocation or a child.
 */
export function jobItemKey(namespace: string, id: string, name: string): string {
  return `${namespace} ${id} ${name}`
}

/**
 * Returns the key prefix of the children that a job dispatched with an idempotency token. The token
 * may contain spaces.
 */
export function dispatchPrefix(namespace: string, id: string, token: string): string {
  return `${jobItemKey(namespace, id, token)} `
}

/** Returns the key of a version. The number is padded with zeros, so keys sort by version. */
export function versionKey(namespace: string, id: string, version: number): string {
  return jobItemKey(namespace, id, paddedNumber(version))
}

/** Returns a key that sorts jobs by the index of their last change. */
export function changeKey(modifyIndex: number, namespace: string, id: string): string {
  return `${paddedNumber(modifyIndex)} ${jobKey(namespace, id)}`
}

/** Pads a number with zeros, so that the order of strings equals the order of numbers. */
export function paddedNumber(value: number): string {
  const digits = Number.isSafeInteger(value) ? String(value) : BigInt(value).toString()
  return digits.padStart(20, '0')
}
