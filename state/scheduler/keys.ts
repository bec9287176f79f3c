/**
 * Keys of the scheduler's tables. A blank parts them: neither namespaces nor ids of jobs have one, and
 * it sorts before every character that they may have, so keys are in the order of their parts
 * (behaviour/scheduler#jobs: namespace, then ID).
 */

/** The jobs of a namespace begin so. */
export function namespacePrefix(namespace: string): string {
  return `${namespace} `
}

/** A job, and what there is once for each. */
export function jobKey(namespace: string, id: string): string {
  return `${namespace} ${id}`
}

/** Returns what belongs to a job, by a name of its own, begins so. */
export function jobItemPrefix(namespace: string, id: string): string {
  return `${namespace} ${id} `
}

/** Returns what belongs to a job: an evaluation, an allocation, a child. */
export function jobItemKey(namespace: string, id: string, name: string): string {
  return `${namespace} ${id} ${name}`
}

/**
 * Returns what a job dispatched with a token of the caller, which may have blanks itself, begins
 * so.
 */
export function dispatchPrefix(namespace: string, id: string, token: string): string {
  return `${jobItemKey(namespace, id, token)} `
}

/** A version of a job; text order is number order. */
export function versionKey(namespace: string, id: string, version: number): string {
  return jobItemKey(namespace, id, paddedNumber(version))
}

/** A job by the index of its last change. */
export function changeKey(modifyIndex: number, namespace: string, id: string): string {
  return `${paddedNumber(modifyIndex)} ${jobKey(namespace, id)}`
}

/** Wide enough for every number, so that text order is number order. */
export function paddedNumber(value: number): string {
  const digits = Number.isSafeInteger(value) ? String(value) : BigInt(value).toString()
  return digits.padStart(20, '0')
}
