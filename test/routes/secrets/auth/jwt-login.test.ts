import { describe, expect, test } from 'vitest'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'
import { algorithms, createSigner, issuer, jwtServer, now, validClaims } from './jwt.ts'

const invalid = (why: string) => error(400, `error validating token: ${why}`)
const signatureError = (why: string) => invalid(`error verifying token signature: ${why}`)
const noKey = signatureError('no known key successfully validated the token signature')

describe('behaviour/secrets#jwt-login', () => {
  test('gives a token with the name of the user, and mapped claims', async () => {
    const { login, as, role } = await jwtServer({
      token_policies: 'a',
      claim_mappings: { email: 'mail', '/org/unit': 'unit', absent: 'none' },
    })
    const claims = { ...validClaims, email: 'ada@example.test', org: { unit: 'x' } }
    const reply = await login(await issuer.sign(claims), { role: 'APP' })
    const metadata = { mail: 'ada@example.test', unit: 'x', role: 'app' }
    expect(reply.body.auth).toMatchObject({
      policies: ['a', 'default'],
      metadata,
      renewable: true,
      orphan: true,
    })
    const { data } = (await as(reply.body.auth.client_token).get('auth/token/lookup-self')).body
    expect(data).toMatchObject({
      path: 'auth/jwt/login',
      display_name: 'jwt-ada',
      meta: metadata,
    })
    await role({ claim_mappings: { sub: 'a', org: 'b' } })
    expect(statusAndBody(await login(await issuer.sign(claims)))).toEqual(
      error(400, "error converting claim 'org' to string"),
    )
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)(
    '%s: refuses an empty name of the user and makes no entity',
    async (dialect, status) => {
      const { login, secrets } = await jwtServer({}, {}, { dialect })
      expect(statusAndBody(await login(await issuer.sign({ ...validClaims, sub: '' })))).toEqual(
        error(status, 'missing name in alias'),
      )
      expect((await secrets.list('identity/entity/id')).status).toBe(404)
    },
  )

  test.each(algorithms)('takes signatures of another library: %s', async (alg) => {
    const other = await createSigner(alg)
    const config = { jwt_validation_pubkeys: [issuer.pem, other.pem] }
    const { login } = await jwtServer({}, config)
    const jwt = await other.sign(validClaims)
    expect((await login(jwt)).status).toBe(200)
    const [header, payload = '', mark] = jwt.split('.')
    const forged = Buffer.from(JSON.stringify({ ...validClaims, sub: 'eve' })).toString('base64url')
    expect(statusAndBody(await login([header, forged, mark].join('.')))).toEqual(noKey)
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    expect(statusAndBody(await login(`${none}.${payload}.`))).toEqual(noKey)
    const otherSigner = await createSigner(alg)
    expect(statusAndBody(await login(await otherSigner.sign(validClaims)))).toEqual(noKey)
  })

  test('refuses texts that are not JWTs', async () => {
    const { login } = await jwtServer()
    const parts = signatureError('go-jose/go-jose: compact JWS format must have three parts')
    expect(statusAndBody(await login('x'))).toEqual(parts)
    expect(statusAndBody(await login('a.b.c.d'))).toEqual(parts)
    expect(statusAndBody(await login('*.e30.AA'))).toEqual(
      signatureError('illegal base64 data at input byte 0'),
    )
    expect(statusAndBody(await login('e30.e30e3.AA'))).toEqual(
      signatureError('illegal base64 data at input byte 4'),
    )
    expect(statusAndBody(await login('AAAA.e30.AA'))).toEqual(
      signatureError("invalid character '\\x00' looking for beginning of value"),
    )
    expect(statusAndBody(await login('bnVsbA.e30.AA'))).toEqual(noKey)
    const list = await issuer.sign(validClaims)
    const [header, , mark] = list.split('.')
    expect(statusAndBody(await login(`${header}.W10.${mark}`))).toEqual(noKey)
  })

  test('needs configuration, role and JWT, and the right network, in this order', async () => {
    const { login, secrets, role } = await jwtServer()
    await secrets.post('sys/auth/bare', { type: 'jwt' })
    const bare = (body: object) => secrets.post('auth/bare/login', body, { token: null })
    expect(statusAndBody(await bare({}))).toEqual(error(400, 'could not load configuration'))
    expect(statusAndBody(await login('x', { role: '' }))).toEqual(error(400, 'missing role'))
    expect(statusAndBody(await login('x', { role: 'No"ne' }))).toEqual(
      error(400, 'role "no\\"ne" could not be found'),
    )
    const web = { role_type: 'oidc', user_claim: 'sub', allowed_redirect_uris: 'http://x.test' }
    expect(statusAndBody(await secrets.post('auth/jwt/role/web', web))).toEqual(noContent)
    expect(statusAndBody(await login('x', { role: 'web' }))).toEqual(
      error(400, 'role with oidc role_type is not allowed'),
    )
    expect(statusAndBody(await login(''))).toEqual(error(400, 'missing token'))
    await role({ token_bound_cidrs: '10.0.0.0/8' })
    expect(statusAndBody(await login('x'))).toEqual(error(403, 'permission denied'))
    const jwt = await issuer.sign(validClaims)
    expect((await login(jwt, {}, { peer: '10.1.2.3' })).status).toBe(200)
    expect(statusAndBody(await secrets.get('auth/jwt/login', { token: null }))).toEqual(
      error(405, 'unsupported operation'),
    )
  })

  test('uses the configured role if the request names none', async () => {
    const { login } = await jwtServer({}, { default_role: 'APP' })
    expect((await login(await issuer.sign(validClaims), { role: '' })).status).toBe(200)
  })

  test('reads the user, also by a pointer', async () => {
    const { login, role } = await jwtServer({ user_claim: 'who' })
    const jwt = await issuer.sign({ ...validClaims, who: 3, a: { 'b/c': ['x', 'eve'] } })
    expect(statusAndBody(await login(jwt))).toEqual(
      error(400, 'claim "who" could not be converted to string'),
    )
    await role({ user_claim: '/a/b~1c/1' })
    expect(statusAndBody(await login(jwt))).toEqual(
      error(400, 'claim "/a/b~1c/1" not found in token'),
    )
    await role({ user_claim: '/a/b~1c/1', user_claim_json_pointer: true })
    expect((await login(jwt)).status).toBe(200)
    await role({ user_claim: '/sub/x', user_claim_json_pointer: true })
    expect(statusAndBody(await login(jwt))).toEqual(error(400, 'claim "/sub/x" not found in token'))
  })

  test('reads groups', async () => {
    const { login } = await jwtServer({ groups_claim: 'groups' })
    const loginResult = async (groups: unknown) =>
      statusAndBody(await login(await issuer.sign({ ...validClaims, groups })))
    expect(statusAndBody(await login(await issuer.sign(validClaims)))).toEqual(
      error(400, 'failed to fetch groups: "groups" claim not found in token'),
    )
    expect(await loginResult({})).toEqual(
      error(400, '"groups" claim could not be converted to string list'),
    )
    expect(await loginResult(['a', 3])).toEqual(
      error(400, 'value 3 in groups claim could not be parsed as string'),
    )
    expect((await loginResult('ops')).status).toBe(200)
    expect((await loginResult(['ops', ''])).status).toBe(200)
  })

  test('refuses audiences that no role is bound to', async () => {
    const { login } = await jwtServer({ bound_audiences: [], bound_subject: 'ada' })
    expect(
      statusAndBody(await login(await issuer.sign({ ...validClaims, aud: ['here'] }))),
    ).toEqual(error(400, 'audience claim found in JWT but no audiences bound to the role'))
    expect((await login(await issuer.sign({ ...validClaims, aud: 'else' }))).status).toBe(200)
    const { aud, ...rest } = validClaims
    expect((await login(await issuer.sign(rest))).status).toBe(200)
  })

  // choice/secrets#jwt-bound-numbers
  test('compares bound claims: texts, numbers, truth values, lists, globs', async () => {
    const { login, role } = await jwtServer()
    const refused = (why: string) => error(400, `error validating claims: ${why}`)
    const claims = {
      ...validClaims,
      team: ['x', 'y'],
      level: 3,
      levels: [1, 2.5],
      on: true,
      deep: { a: 'b' },
      odd: {},
    }
    const jwt = await issuer.sign(claims)
    for (const bound of [
      { team: 'y' },
      { team: ['z', 'x'] },
      { level: 3 },
      { levels: 2.5 },
      { on: true },
      { '/deep/a': 'b' },
    ]) {
      await role({ bound_claims: bound })
      expect((await login(jwt)).status).toBe(200)
    }
    for (const [bound, why] of [
      [{ team: 'z' }, 'claim "team" does not match any associated bound claim values'],
      [{ level: '3' }, 'claim "level" does not match any associated bound claim values'],
      [{ absent: 'x' }, 'claim "absent" is missing'],
      // choice/secrets#jwt-claim-order
      [{ absent: 'x', odd: 'x' }, 'claim "absent" is missing'],
      [{ odd: 'x' }, 'received claim is not a string, bool, int or list: map[]'],
      [{ team: { a: 1 } }, 'bound claim is not a string, bool, int or list: map[a:1]'],
    ] as const) {
      await role({ bound_claims: bound })
      expect(statusAndBody(await login(jwt))).toEqual(refused(why))
    }
    await role({ bound_claims: { team: 'q*' }, bound_claims_type: 'glob' })
    expect(statusAndBody(await login(jwt))).toEqual(
      refused('claim "team" does not match any associated bound claim values'),
    )
    await role({ bound_claims: { team: ['q', '*'], level: ['*'] }, bound_claims_type: 'glob' })
    expect(statusAndBody(await login(jwt))).toEqual(
      refused('claim "level" does not match any associated bound claim values'),
    )
  })

  test('reports the first claim of the role that does not match', async () => {
    const { login, role } = await jwtServer()
    const jwt = await issuer.sign(validClaims)
    const reported = async (bound_claims: object) => {
      await role({ bound_claims })
      return statusAndBody(await login(jwt))
    }
    const missing = (name: string) =>
      error(400, `error validating claims: claim "${name}" is missing`)
    expect(await reported({ b: 'x', a: 'x' })).toEqual(missing('b'))
    expect(await reported({ a: 'x', b: 'x' })).toEqual(missing('a'))
  })

  test('renewals follow the role, and fail without it', async () => {
    for (const [dialect, status] of [
      ['neutral', 400],
      ['vendor', 500],
    ] as const) {
      const { login, secrets, as } = await jwtServer({}, {}, { dialect })
      const { client_token } = (await login(await issuer.sign(validClaims))).body.auth
      const renew = () => as(client_token).post('auth/token/renew-self', {})
      await secrets.post('auth/jwt/role/app', { role_type: 'jwt', token_ttl: 70 })
      expect((await renew()).body.auth.lease_duration).toBe(70)
      await secrets.delete('auth/jwt/role/app')
      expect(statusAndBody(await renew())).toEqual(
        multierrorReply(status, 'failed to renew entry: role "app" does not exist during renewal'),
      )
    }
  })
})

describe('behaviour/secrets#jwt', () => {
  test('is mounted as oidc as well', async () => {
    const { secrets } = await jwtServer()
    await secrets.post('sys/auth/web', { type: 'oidc' })
    expect((await secrets.get('sys/auth')).body['web/'].type).toBe('oidc')
    const config = { jwt_validation_pubkeys: issuer.pem }
    expect(statusAndBody(await secrets.post('auth/web/config', config))).toEqual(noContent)
    const role = { role_type: 'jwt', user_claim: 'sub', bound_subject: 'ada' }
    expect(statusAndBody(await secrets.post('auth/web/role/app', role))).toEqual(noContent)
    const jwt = await issuer.sign({ sub: 'ada', exp: now + 1 })
    const { auth } = (await secrets.post('auth/web/login', { role: 'app', jwt })).body
    const renewed = await secrets.post('auth/token/renew', { token: auth.client_token })
    expect(renewed.status).toBe(200)
  })
})
