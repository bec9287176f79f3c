import { describe, expect, test } from 'vitest'
import { type AnyRequest, servedSecrets } from '../../../support/secrets/secrets.ts'
import { addNamespace } from '../namespace-rows.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'

/** A request with all parts that a rule may break. */
type Request = AnyRequest & { readonly payload: string; readonly token: string | null }

interface Rule {
  readonly name: string
  /** Returns the request changed so that it also breaks this rule. */
  violate(request: Request, weakToken: string): Request
  readonly errorReply: object
}

const withHeader = (request: Request, name: string, value: string): Request => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})

/** The rules in the order of behaviour/secrets#conventions, each with the reply to breaking it. */
const rules: readonly Rule[] = [
  {
    name: 'body',
    violate: (request) => ({ ...request, payload: '{' }),
    errorReply: error(400, 'error parsing JSON'),
  },
  {
    name: 'wrapping header',
    violate: (request) => withHeader(request, 'x-secrets-wrap-ttl', '-1'),
    errorReply: error(
      400,
      'error parsing X-Secrets-Wrap-TTL header: requested wrap ttl cannot be negative',
    ),
  },
  {
    name: 'sealed',
    // The test seals the service.
    violate: (request) => request,
    errorReply: error(503, 'Service is sealed'),
  },
  {
    name: 'closing slash',
    violate: (request) => ({ ...request, path: `${request.path}/` }),
    errorReply: error(400, "cannot write to a path ending in '/'"),
  },
  {
    name: 'namespace',
    violate: (request) => withHeader(request, 'x-secrets-namespace', 'nowhere'),
    errorReply: error(404, 'namespace not found'),
  },
  {
    name: 'token',
    violate: (request) => ({ ...request, token: null }),
    errorReply: error(403, 'permission denied'),
  },
  {
    name: 'ACL',
    violate: (request, weakToken) => ({ ...request, token: weakToken }),
    errorReply: multierrorReply(403, 'permission denied'),
  },
  {
    name: 'route',
    violate: (request) => ({ ...request, path: 'sys/leases/nothing' }),
    errorReply: multierrorReply(404, 'unsupported path'),
  },
  {
    name: 'method',
    violate: (request) => ({ ...request, path: 'sys/key-status' }),
    errorReply: multierrorReply(405, 'unsupported operation'),
  },
  {
    name: 'fields',
    violate: (request) => ({ ...request, payload: '{"lease_id":"none","increment":"soon"}' }),
    errorReply: error(
      400,
      'Field validation failed: error converting input soon for field "increment": time: invalid duration "soon"',
    ),
  },
  {
    name: 'handler',
    // The lease does not exist.
    violate: (request) => request,
    errorReply: error(400, 'lease not found'),
  },
]

const fullRequest: Request = {
  method: 'POST',
  path: 'sys/leases/renew',
  payload: '{"lease_id":"none","increment":"5s"}',
  token: 'root',
}

/** Returns the reply to a request that breaks these rules. */
async function replyTo(violated: readonly Rule[]): Promise<object> {
  const { secrets } = await servedSecrets()
  const created = await secrets.post('auth/token/create', {
    policies: ['nothing'],
    no_default_policy: true,
  })
  const weakToken = String(created.body.auth.client_token)
  if (violated.some(({ name }) => name === 'sealed')) await secrets.post('sys/seal')
  // The first rule is applied last, so that later rules do not overwrite its change.
  const request = violated.reduceRight((input, rule) => rule.violate(input, weakToken), fullRequest)
  return statusAndBody(await secrets.request(request))
}

const pairs = rules.flatMap((first, at) =>
  rules.slice(at + 1).map((second) => [first.name, second.name, first, second] as const),
)

describe('behaviour/secrets#order-of-checks', () => {
  test.each(rules.map((rule) => [rule.name, rule] as const))('%s alone', async (_, rule) => {
    expect(await replyTo([rule])).toEqual(rule.errorReply)
  })

  test.each(pairs)('%s before %s', async (_first, _second, first, second) => {
    expect(await replyTo([first, second])).toEqual(first.errorReply)
  })

  test('a request that violates all rules gets the refusal of the first rule', async () => {
    expect(await replyTo(rules)).toEqual(rules[0]?.errorReply)
  })
})

describe('behaviour/secrets#order-of-checks: exceptions to the order', () => {
  const noToken = { token: null }

  test('an unknown path is 403 for a weak token, 404 for root', async () => {
    const { secrets, as } = await servedSecrets()
    const created = await secrets.post('auth/token/create', { policies: ['default'] })
    const weak = as(created.body.auth.client_token)
    for (const path of ['nothing/a', 'sys/nothing', 'secret/nothing', 'auth/token/nothing']) {
      expect([path, statusAndBody(await weak.get(path))]).toEqual([
        path,
        multierrorReply(403, 'permission denied'),
      ])
      expect([path, (await secrets.get(path)).status]).toEqual([path, 404])
    }
  })

  test('a bare endpoint refuses a wrong method before the body', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('sys/health', '{', noToken))).toEqual(error(405))
  })

  test('open paths answer while the service is sealed, their bodies are still parsed first', async () => {
    const { secrets } = await servedSecrets({ secrets: { sealed: true } })
    for (const path of ['sys/init', 'sys/seal-status']) {
      expect([path, (await secrets.get(path, noToken)).status]).toEqual([path, 200])
    }
    const { status, body } = await secrets.post('sys/unseal', '[]', noToken)
    expect([status, body.errors[0].slice(0, 27)]).toEqual([400, 'failed to parse JSON input:'])
  })

  test('a relative path and a wrong `list` are refused before the seal', async () => {
    const { secrets } = await servedSecrets({ secrets: { sealed: true } })
    expect(statusAndBody(await secrets.get('kv/..%2fa', noToken))).toEqual(
      error(400, 'relative paths not supported'),
    )
    expect(statusAndBody(await secrets.get('kv/a', { ...noToken, query: { list: 'x' } }))).toEqual(
      error(400),
    )
  })

  test('PATCH asks for its content type before the seal', async () => {
    const { secrets } = await servedSecrets({ secrets: { sealed: true } })
    expect(
      statusAndBody(await secrets.request({ method: 'PATCH', path: 'secret/data/a' })),
    ).toEqual(error(400, 'mime: no media type'))
  })

  test('an operation that namespaces do not have is refused before the token', async () => {
    const { secrets, world } = await servedSecrets()
    addNamespace(world, 'team/')
    const headers = { 'x-secrets-namespace': 'team' }
    expect(statusAndBody(await secrets.post('sys/seal', {}, { ...noToken, headers }))).toEqual(
      error(400, 'operation unavailable in namespaces'),
    )
  })

  test('an existence check converts the fields first, so invalid ones are reported before the ACL', async () => {
    const { secrets, as } = await servedSecrets()
    await secrets.post('secret/metadata/old', { max_versions: 1 })
    const policy = 'path "secret/metadata/*" { capabilities = ["create"] }'
    await secrets.post('sys/policies/acl/creates', { policy })
    const created = await secrets.post('auth/token/create', { policies: ['creates'] })
    const client = as(created.body.auth.client_token)
    const wrong = { max_versions: 'x' }
    const refused = error(
      400,
      'error converting input x for field "max_versions": cannot parse \'\' as int: strconv.ParseInt: parsing "x": invalid syntax',
    )
    expect(statusAndBody(await client.post('secret/metadata/old', wrong))).toEqual(refused)
    expect(statusAndBody(await client.post('secret/metadata/new', wrong))).toEqual(refused)
    expect(statusAndBody(await client.post('secret/metadata/old', {}))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
    expect(statusAndBody(await secrets.post('secret/metadata/old', wrong, noToken))).toEqual(
      error(403, 'permission denied'),
    )
  })
})
