import { formatTimestamp } from '../../../state/kernel/time.ts'
import { renderMessage } from '../../../state/kernel/wording.ts'
import { type ApiToken, apiTokens } from '../../../state/platform/accounts/tokens.ts'
import type { AttributeViolation, ViolationsDetail } from '../../../state/platform/faults.ts'
import { rateLimit } from '../../../state/platform/rate-limit.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/explains.ts'
import { diagnoseMissingToken } from '../../http/stray-token.ts'
import { mediaType } from '../json-api/resource.ts'
import type { PlatformOperation } from '../operation.ts'

const tokens = 'behaviour/platform#authentication'
const bodies = 'behaviour/platform#errors'

/** No token that counts was sent. */
export function unauthorized(asked: ExplainedRequest): Diagnosis {
  const { headers, token: text, world, at } = asked
  // Node keeps one alone.
  const authorization = headers['authorization']?.toString()
  if (authorization === undefined) return { ...missing(asked), spec: tokens }
  if (!/^Bearer\s+\S+\s*$/i.test(authorization)) return { ...missing(asked), spec: tokens }
  const change = 'Send a token that is valid'
  const kept = world.table(apiTokens).get(text ?? '')
  const { row, deletedBy } = traceOf(asked, text ?? '')
  const last = kept ?? row
  if (last?.expired_at != null && last.expired_at <= at) {
    const when = formatTimestamp(last.expired_at)
    return {
      rule: 'token-expired',
      because: `the token ${last.id} expired at ${when}`,
      change,
      spec: tokens,
    }
  }
  if (kept !== undefined) {
    return {
      rule: 'token-of-user',
      because: `the organization takes no tokens of users (user-tokens-enabled is false), and ${kept.id} is one`,
      change: 'Send a token of a team or of the organization',
      spec: tokens,
    }
  }
  if (deletedBy !== undefined) {
    const because = `the token ${last?.id ?? ''} was deleted by the request ${deletedBy}`
    return { rule: 'token-revoked', because, change, spec: tokens }
  }
  return {
    rule: 'token-unknown',
    because: 'the token that was sent is not known here',
    change,
    spec: tokens,
  }
}

function missing(asked: ExplainedRequest): Diagnosis {
  const told = diagnoseMissingToken(asked, 'platform', 'Authorization')
  const change = 'Send Authorization: Bearer <token>'
  if (told.rule === 'token-scheme-wrong') return { ...told, change }
  if (told.rule === 'token-missing') {
    return {
      ...told,
      because: 'no token was sent: Authorization: Bearer <token> is missing',
      change,
    }
  }
  const { authorization, ...others } = { ...told.request?.headers }
  return { ...told, request: { headers: { ...others, authorization: `Bearer ${authorization}` } } }
}

interface Trace {
  readonly row?: ApiToken
  /** The request that did. */
  readonly deletedBy?: string
}

/** What earlier requests tell of a token that is there no more. */
function traceOf(asked: ExplainedRequest, text: string): Trace {
  for (const { id, changes } of asked.earlier()) {
    const change = changes.findLast(({ table, key }) => table === 'platform.tokens' && key === text)
    // Rows of that table are tokens.
    if (change?.after !== undefined) return { row: change.after as ApiToken }
    if (change !== undefined) return { row: change.before as ApiToken, deletedBy: id }
  }
  return {}
}

/** More requests in a second than the setting allows. */
export function tooMany({ world, path }: ExplainedRequest): Diagnosis {
  const { limit } = rateLimit(world)
  return {
    because: `${path} came after ${limit} requests in one second of the world's clock, the limit of the setting api-rate-limit`,
    change: 'Send it a second later, or raise api-rate-limit',
    request: {},
    spec: 'behaviour/platform#rate-limit',
  }
}

/** Another content type than JSON:API's. */
export function wrongContentType({ headers }: ExplainedRequest): Diagnosis {
  const type = headers['content-type']
  return {
    because: `the content type is ${type ?? 'missing'}; it has to be ${mediaType}`,
    change: `Send Content-Type: ${mediaType}`,
    request: { headers: { 'content-type': mediaType } },
    spec: 'behaviour/platform#media-types',
  }
}

/** A body that is no JSON:API document. */
export function withoutData({ rule, body, operation }: ExplainedRequest): Diagnosis {
  const { form } = { ...(operation as PlatformOperation | undefined) }
  const type = form?.type
  if (rule === 'body-unreadable') {
    return { because: 'the body is no JSON', change: 'Send a JSON:API document', spec: bodies }
  }
  if (body === undefined) {
    return {
      because: 'the request has no body, and so no "data"',
      change: 'Send a JSON:API document: {"data": {"attributes": {…}}}',
      spec: bodies,
    }
  }
  const resource = (attributes: unknown) => ({
    data: { ...(type === undefined ? {} : { type }), attributes },
  })
  if (rule === 'data-missing') {
    const hasAttributes = 'attributes' in Object(body)
    return {
      because: hasAttributes
        ? '"attributes" stands at the top of the body; it belongs into "data"'
        : 'the body has no member "data" that is as the operation takes it',
      change: hasAttributes
        ? 'Send {"data": {"attributes": {…}}}'
        : 'Send what is there as {"data": {"attributes": {…}}}',
      ...(form === undefined
        ? {}
        : {
            request: {
              body: (sent) => resource(hasAttributes ? Object(sent)['attributes'] : sent),
            },
          }),
      spec: bodies,
    }
  }
  const what = rule === 'attributes-wrong' ? 'is no object' : 'is missing'
  return {
    because: `"attributes" of "data" ${what}`,
    change: 'Send {"data": {"attributes": {…}}}',
    request: { body: (sent) => resource(withoutTyping(Object(sent)['data'])) },
    spec: bodies,
  }
}

/** Attributes that stand where their resource does. */
function withoutTyping(data: unknown): unknown {
  return Object.fromEntries(
    Object.entries(Object(data)).filter(
      ([name]) => !['type', 'id', 'relationships', 'attributes'].includes(name),
    ),
  )
}

/** A resource of another type. */
export function otherType({ body, operation, refusal }: ExplainedRequest): Diagnosis {
  const { form } = { ...(operation as PlatformOperation | undefined) }
  const wanted = String(refusal?.params['type'] ?? form?.type ?? '')
  const sent = Object(Object(body)['data'])['type']
  return {
    because: `the type of "data" is ${sent === undefined ? 'missing' : JSON.stringify(sent)}; it has to be "${wanted}"`,
    change: `Send "type": "${wanted}"`,
    request: {
      body: (shown) => ({
        ...Object(shown),
        data: { ...Object(Object(shown)['data']), type: wanted },
      }),
    },
    spec: bodies,
  }
}

/** Attributes that break rules: each with what was sent. */
export function wrongAttributes({ refusal, body }: ExplainedRequest): Diagnosis {
  const { attributes = [] }: ViolationsDetail = { ...refusal?.detail }
  const sent = Object(Object(Object(body)['data'])['attributes'])
  const told = attributes.map(
    (violation) => `"${violation.attribute}" ${renderMessage(violation)}${given(sent, violation)}`,
  )
  return {
    because: told.join('; '),
    change: `Send other values of ${attributes.map(({ attribute }) => attribute).join(', ')}`,
    spec: 'behaviour/platform#errors',
  }
}

/** What was sent, where it is short and no secret; those are hidden later. */
function given(sent: Readonly<Record<string, unknown>>, { attribute }: AttributeViolation): string {
  if (!Object.hasOwn(sent, attribute)) return ' (it is not sent)'
  const text = JSON.stringify(sent[attribute])
  return text.length > 80 ? '' : ` (${text} was sent)`
}
