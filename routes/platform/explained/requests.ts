import { renderMessage } from '../../../state/kernel/message.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import { type ApiToken, apiTokens } from '../../../state/platform/accounts/tokens.ts'
import { rateLimit } from '../../../state/platform/rate-limit.ts'
import type { AttributeViolation, ViolationsDetail } from '../../../state/platform/violations.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { diagnoseMissingToken } from '../../http/journal-hooks/unexpected-token.ts'
import { mediaType } from '../json-api/resource.ts'
import type { PlatformOperation } from '../operation.ts'

const tokenSpec = 'behaviour/platform#authentication'
const bodySpec = 'behaviour/platform#errors'

/**
 * Explains a missing or invalid token, and a user's token that the organization does not accept.
 */
export function explainRefusedToken(request: ExplainedRequest): Diagnosis {
  const { headers, token: text, world, at } = request
  // Node keeps only one `Authorization` header, so the value is never a list.
  const authorization = headers['authorization']?.toString()
  if (!/^Bearer\s+\S+\s*$/i.test(authorization ?? '')) {
    return { ...explainMissingToken(request), spec: tokenSpec }
  }
  const change = 'Send a valid token'
  const storedToken = world.table(apiTokens).get(text ?? '')
  const { row, deletedBy } = tokenHistory(request, text ?? '')
  const lastKnownToken = storedToken ?? row
  if (lastKnownToken?.expired_at != null && lastKnownToken.expired_at <= at) {
    const expiry = formatTimestamp(lastKnownToken.expired_at)
    return {
      rule: 'token-expired',
      because: `the token ${lastKnownToken.id} expired at ${expiry}`,
      change,
      spec: tokenSpec,
    }
  }
  if (storedToken !== undefined) {
    return {
      rule: 'token-of-user',
      because: `the organization does not accept user tokens (user-tokens-enabled is false), and ${storedToken.id} is a user token`,
      change: 'Send a team token or the organization token',
      spec: tokenSpec,
    }
  }
  if (deletedBy !== undefined) {
    const because = `the token ${lastKnownToken?.id ?? ''} was deleted by the request ${deletedBy}`
    return { rule: 'token-revoked', because, change, spec: tokenSpec }
  }
  return {
    rule: 'token-unknown',
    because: 'the token that was sent does not exist in this world',
    change,
    spec: tokenSpec,
  }
}

function explainMissingToken(request: ExplainedRequest): Diagnosis {
  const diagnosis = diagnoseMissingToken(request, 'platform', 'Authorization')
  const change = 'Send Authorization: Bearer <token>'
  if (diagnosis.rule === 'token-scheme-wrong') return { ...diagnosis, change }
  if (diagnosis.rule === 'token-missing') {
    return {
      ...diagnosis,
      because: 'no token was sent: Authorization: Bearer <token> is missing',
      change,
    }
  }
  const { authorization, ...others } = { ...diagnosis.request?.headers }
  return {
    ...diagnosis,
    request: { headers: { ...others, authorization: `Bearer ${authorization}` } },
  }
}

interface TokenHistory {
  readonly row?: ApiToken
  /** Id of the request that deleted the token; undefined if the journal has no such request. */
  readonly deletedBy?: string
}

/**
 * Searches the journal for the last known state of a token that no longer exists, and for the
 * request that deleted the token. Returns an empty object if the journal has no change of the
 * token.
 */
function tokenHistory(request: ExplainedRequest, text: string): TokenHistory {
  for (const { id, changes } of request.earlier()) {
    const change = changes.findLast(({ table, key }) => table === 'platform.tokens' && key === text)
    // The casts are safe: rows of the table `platform.tokens` are tokens.
    if (change?.after !== undefined) return { row: change.after as ApiToken }
    if (change !== undefined) return { row: change.before as ApiToken, deletedBy: id }
  }
  return {}
}

/** Explains a request that exceeds the rate limit. */
export function explainExceededRate({ world, path }: ExplainedRequest): Diagnosis {
  const { limit } = rateLimit(world)
  return {
    because: `the request to ${path} exceeds the setting api-rate-limit, which allows ${limit} requests in one second of the world's clock`,
    change: 'Retry a second later, or raise api-rate-limit',
    request: {},
    spec: 'behaviour/platform#rate-limit',
  }
}

/** Explains why a content type other than JSON:API's is refused. */
export function explainWrongContentType({ headers }: ExplainedRequest): Diagnosis {
  const type = headers['content-type']
  return {
    because: `the content type is ${type ?? 'missing'}; it must be ${mediaType}`,
    change: `Send Content-Type: ${mediaType}`,
    request: { headers: { 'content-type': mediaType } },
    spec: 'behaviour/platform#media-types',
  }
}

/** Explains a body that is not a valid JSON:API document. */
export function explainMalformedDocument({ rule, body, operation }: ExplainedRequest): Diagnosis {
  const { form } = { ...(operation as PlatformOperation | undefined) }
  const type = form?.type
  if (rule === 'body-unreadable') {
    return { because: 'the body is not JSON', change: 'Send a JSON:API document', spec: bodySpec }
  }
  if (body === undefined) {
    return {
      because: 'the request has no body and therefore no "data"',
      change: 'Send a JSON:API document: {"data": {"attributes": {…}}}',
      spec: bodySpec,
    }
  }
  const resource = (attributes: unknown) => ({
    data: { ...(type === undefined ? {} : { type }), attributes },
  })
  if (rule === 'data-missing') {
    const hasAttributes = 'attributes' in Object(body)
    return {
      because: hasAttributes
        ? '"attributes" is at the top level of the body, but must be in "data"'
        : 'the body has no valid member "data"',
      change: hasAttributes
        ? 'Send {"data": {"attributes": {…}}}'
        : 'Wrap the body: {"data": {"attributes": {…}}}',
      ...(form === undefined
        ? {}
        : {
            request: {
              body: (input) => resource(hasAttributes ? Object(input)['attributes'] : input),
            },
          }),
      spec: bodySpec,
    }
  }
  const state = rule === 'attributes-wrong' ? 'is not an object' : 'is missing'
  return {
    because: `"attributes" of "data" ${state}`,
    change: 'Send {"data": {"attributes": {…}}}',
    request: { body: (input) => resource(attributesOnly(Object(input)['data'])) },
    spec: bodySpec,
  }
}

/**
 * Returns the attributes that a request contains beside `type` of a resource object, although they
 * belong in the member `attributes`.
 */
function attributesOnly(data: unknown): unknown {
  return Object.fromEntries(
    Object.entries(Object(data)).filter(
      ([name]) => !['type', 'id', 'relationships', 'attributes'].includes(name),
    ),
  )
}

/** Explains why a resource whose type does not fit the operation is refused. */
export function explainWrongType({ body, operation, refusal }: ExplainedRequest): Diagnosis {
  const { form } = { ...(operation as PlatformOperation | undefined) }
  const expectedType = String(refusal?.params['type'] ?? form?.type ?? '')
  const input = Object(Object(body)['data'])['type']
  return {
    because: `the type of "data" is ${input === undefined ? 'missing' : JSON.stringify(input)}; it must be "${expectedType}"`,
    change: `Send "type": "${expectedType}"`,
    request: {
      body: (requestBody) => ({
        ...Object(requestBody),
        data: { ...Object(Object(requestBody)['data']), type: expectedType },
      }),
    },
    spec: bodySpec,
  }
}

/** Explains invalid attributes, each with the value that was sent. */
export function explainInvalidAttributes({ refusal, body }: ExplainedRequest): Diagnosis {
  const { attributes = [] }: ViolationsDetail = { ...refusal?.detail }
  const input = Object(Object(Object(body)['data'])['attributes'])
  const diagnosis = attributes.map(
    (violation) =>
      `"${violation.attribute}" ${renderMessage(violation)}${describeSentValue(input, violation)}`,
  )
  return {
    because: diagnosis.join('; '),
    change: `Send other values for ${attributes.map(({ attribute }) => attribute).join(', ')}`,
    spec: 'behaviour/platform#errors',
  }
}

/**
 * Returns a description of the value that was sent for an attribute; an empty string for a long
 * value. The caller redacts secrets.
 */
function describeSentValue(
  input: Readonly<Record<string, unknown>>,
  { attribute }: AttributeViolation,
) {
  if (!Object.hasOwn(input, attribute)) return ' (the request does not have it)'
  const text = JSON.stringify(input[attribute])
  return text.length > 80 ? '' : ` (${text} was sent)`
}
