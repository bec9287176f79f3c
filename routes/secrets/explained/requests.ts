import { renderMessage } from '../../../state/kernel/message.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { protectedPaths } from '../../../state/secrets/mounts/types.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import { isInitialized, isSealed, unsealKeys } from '../../../state/secrets/seal/seal.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { fieldInfo } from '../fields/fields.ts'
import type { SecretsOperation } from '../operation.ts'

/** Explains that the node is sealed, not initialised, or changing its replication mode. */
export function explainSealedNode({ world }: ExplainedRequest): Diagnosis {
  const spec = 'behaviour/secrets#seal'
  if (!isInitialized(world)) {
    return {
      because: 'the service is not initialised and therefore sealed',
      change: 'Initialise the service with PUT /v1/sys/init, then unseal it',
      spec,
    }
  }
  if (!isSealed(world)) {
    const since = formatTimestamp(world.clock.now())
    return {
      because: `the node is changing its replication mode and answers as if it were sealed (${since})`,
      change: 'Wait until the change is complete, or advance the clock',
      spec,
    }
  }
  const { threshold } = unsealKeys(world)
  return {
    because: `the node is sealed until ${threshold} key shares have been submitted`,
    change: `Submit ${threshold} shares to PUT /v1/sys/unseal`,
    spec,
  }
}

export function explainRateLimit({ world, path }: ExplainedRequest): Diagnosis {
  const { rateLimit } = optionsOf(world)
  return {
    because: `the request to ${path} exceeds the option rateLimit, which allows ${rateLimit} requests in one second of the world's clock`,
    change: 'Retry a second later, or raise the option secrets.rateLimit',
    request: {},
    spec: 'behaviour/secrets#rate-limit',
  }
}

/**
 * Explains that a path with a trailing slash cannot be written, because such a path names a folder.
 */
export function explainFolderWrite({ path }: ExplainedRequest): Diagnosis {
  const intended = trimEndOf(path, '/')
  return {
    rule: 'trailing-slash',
    because: `${path} ends with a slash, so it is a folder; folders can be listed, but not written`,
    change: `Send the request to ${intended}`,
    request: { path: intended },
    spec: 'behaviour/secrets#api-conventions',
  }
}

/**
 * Explains that the path ends with a dot, and that no operation accepts such a path. Returns
 * undefined for other paths.
 */
export function explainTrailingDot({ path }: ExplainedRequest): Diagnosis | undefined {
  if (!path.endsWith('.')) return undefined
  const intended = trimEndOf(path, '.')
  return {
    rule: 'trailing-dot',
    because: `${path} ends with a dot, and names must not end with a dot`,
    change: `Send the request to ${intended}`,
    request: { path: intended },
    spec: 'behaviour/secrets#api-conventions',
  }
}

/** Explains that a PATCH lacks the content type of a merge patch. */
export function explainContentType({ headers }: ExplainedRequest): Diagnosis {
  const type = headers['content-type']
  return {
    because: `PATCH requires application/merge-patch+json, but the content type is ${type ?? 'missing'}`,
    change: 'Send Content-Type: application/merge-patch+json',
    request: { headers: { 'content-type': 'application/merge-patch+json' } },
    spec: 'behaviour/secrets#api-json',
  }
}

/** Explains that the body is not a JSON object. */
export function explainUnreadableBody({ body, refusal }: ExplainedRequest): Diagnosis {
  const why = refusal?.rule === 'bare-body-unreadable' ? `: ${renderMessage(refusal.reason)}` : ''
  const what =
    typeof body === 'string'
      ? `not JSON${jsonErrorPosition(body)}`
      : `JSON, but ${kindOf(body)}, not an object`
  return {
    because: `the body is ${what}${why}`,
    change: 'Send a JSON object',
    spec: 'behaviour/secrets#conventions',
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/**
 * Formats the position of a JSON syntax error as the end of a sentence. Returns an empty string if
 * the parser reports no position.
 */
function jsonErrorPosition(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    // The text may be secret, so only the position is reported.
    const position = /position \d+(?: \(line \d+ column \d+\))?/.exec(String(error))?.[0]
    return position === undefined ? '' : `, at ${position}`
  }
}

/**
 * Explains that a field cannot be converted, and names the field and its type. Returns undefined if
 * the field is not in the body.
 */
export function explainUnconvertibleField({
  refusal,
  operation,
  body,
}: ExplainedRequest): Diagnosis | undefined {
  const name = String(refusal?.details['field'])
  const field = (operation as SecretsOperation | undefined)?.fields[name]
  if (refusal === undefined || field === undefined || !Object.hasOwn(Object(body), name)) {
    return undefined
  }
  const type = typeNameOf(fieldInfo(field).shape)
  return {
    because: `the field "${name}" must be ${type}: ${renderMessage(refusal.reason)}`,
    change: `Send "${name}" as ${type}, or omit it`,
    request: { body: withoutMember(name) },
    spec: 'behaviour/secrets#refusals',
  }
}

/**
 * Explains that a duration cannot be parsed, and names its field. Returns undefined if no field of
 * the body contains the duration.
 */
export function explainDuration({
  refusal,
  operation,
  body,
}: ExplainedRequest): Diagnosis | undefined {
  const duration = refusal?.details['duration']
  const { fields = {} } = { ...(operation as SecretsOperation | undefined) }
  const name = Object.keys(fields).find((field) => Object(body)[field] === duration)
  if (refusal === undefined || duration === undefined || name === undefined) return undefined
  return {
    rule: 'duration-unreadable',
    because: `the field "${name}" must be a duration such as 1h30m: ${renderMessage(refusal.reason)}`,
    change: `Send "${name}" as a duration, or omit it`,
    request: { body: withoutMember(name) },
    spec: 'behaviour/secrets#refusals',
  }
}

/** Returns a function that returns a copy of a body without the member. */
function withoutMember(name: string): (body: unknown) => object {
  return (body) => {
    return Object.fromEntries(Object.entries(Object(body)).filter(([key]) => key !== name))
  }
}

function typeNameOf(shape: { readonly kind: string; readonly format?: string }): string {
  if (shape.format?.includes('duration')) return 'a duration'
  const typeNames: Readonly<Record<string, string>> = {
    text: 'a text',
    int: 'a whole number',
    bool: 'true or false',
    list: 'a list',
    map: 'an object',
  }
  return typeNames[shape.kind] ?? 'another type'
}

/**
 * Explains that the name of a mount, namespace or policy is reserved or invalid. Returns undefined
 * if the request was not refused.
 */
export function explainReservedName({
  path,
  refusal,
  rule,
}: ExplainedRequest): Diagnosis | undefined {
  if (refusal === undefined) return undefined
  const message = renderMessage(refusal.reason)
  const name = path
    .split('/')
    .filter((part) => part !== '')
    .at(-1)
  if (rule === 'mount-protected' || rule === 'unmount-protected') {
    return {
      because: `${message}: ${protectedPaths.join(', ')} are reserved for the service`,
      change: 'Use another path',
      spec: 'behaviour/secrets#mounts',
    }
  }
  if (rule === 'namespace-name-invalid') {
    return {
      because: `"${name}" cannot be the name of a namespace: it is reserved or contains spaces`,
      change: 'Use another name',
      spec: 'behaviour/secrets#namespaces',
    }
  }
  return {
    because: `${message}: the policy "${name}" is reserved for the service`,
    change: 'Use another name',
    spec: 'behaviour/secrets#policies',
  }
}
