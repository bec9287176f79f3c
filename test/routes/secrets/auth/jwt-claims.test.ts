import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderMessage } from '../../../../state/kernel/message.ts'
import { claimProblem, type ExpectedClaims } from '../../../../state/secrets/logins/claim-checks.ts'
import { error, statusAndBody } from '../replies.ts'
import { createSigner, issuer, jwtServer, now, validClaims } from './jwt.ts'

const invalid = (why: string) => error(400, `error validating token: ${why}`)
const early = 'invalid not before (nbf) claim: token not yet valid'
const expired = 'invalid expiration time (exp) claim: token is expired'
const later = 'invalid issued at (iat) claim: token issued in the future'
const date = 'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate'
const type = (kind: string, claim: string) =>
  `json: cannot unmarshal ${kind} into Go struct field Claims.${claim} of type string`

describe('behaviour/secrets#jwt-claims', () => {
  const audience =
    'invalid audience (aud) claim: audience claim does not match any expected audience'
  test.each([
    [{ iss: 'other' }, 'invalid issuer (iss) claim'],
    [{ iss: undefined }, 'invalid issuer (iss) claim'],
    [{ sub: 'eve' }, 'invalid subject (sub) claim'],
    [{ aud: 'there' }, audience],
    [{ aud: ['there'] }, audience],
    [{ aud: undefined }, audience],
    [
      { iat: undefined, exp: undefined },
      'no issued at (iat), not before (nbf), or expiration time (exp) claims in token',
    ],
    [{ nbf: now + 61 }, early],
    [{ exp: now - 61 }, expired],
    [{ iat: now - 211, exp: undefined }, expired],
    [{ iat: now + 61, nbf: now }, later],
    [{ iat: undefined, exp: now + 211 }, early],
    [{ exp: 'x' }, date],
    [{ nbf: true }, date],
    [{ aud: 3 }, 'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience'],
    [{ aud: [3] }, 'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience'],
    [{ iss: 3 }, type('number', 'iss')],
    [{ sub: [] }, type('array', 'sub')],
    [{ jti: {} }, type('object', 'jti')],
    [{ sub: false }, type('bool', 'sub')],
  ])('%j is refused', async (change, why) => {
    const { login } = await jwtServer({ bound_subject: 'ada' }, { bound_issuer: 'me' })
    const claims = JSON.parse(JSON.stringify({ ...validClaims, iss: 'me', ...change }))
    expect(statusAndBody(await login(await issuer.sign(claims)))).toEqual(invalid(why))
  })

  test.each([
    { nbf: now + 60 },
    { exp: now - 60 },
    { iat: now - 210, exp: undefined },
    { iat: now + 60, nbf: now },
    { iat: undefined, exp: now + 210 },
    { aud: ['there', 'here'] },
    { iat: null, jti: null },
  ])('%j is taken, with the usual leeways', async (change) => {
    const { login } = await jwtServer()
    const claims = JSON.parse(JSON.stringify({ ...validClaims, ...change }))
    expect((await login(await issuer.sign(claims))).status).toBe(200)
  })

  test('roles set the leeways, or turn them off', async () => {
    const { login, role, clock } = await jwtServer({ clock_skew_leeway: -1 })
    const loginResult = async (change: object) =>
      statusAndBody(
        await login(await issuer.sign(JSON.parse(JSON.stringify({ ...validClaims, ...change })))),
      )
    expect(await loginResult({ nbf: now + 1 })).toEqual(invalid(early))
    expect((await loginResult({ exp: now })).status).toBe(200)
    await role({ clock_skew_leeway: 10, expiration_leeway: -1 })
    expect(await loginResult({ exp: undefined, iat: now - 11 })).toEqual(invalid(expired))
    await role({ clock_skew_leeway: -1, not_before_leeway: 5 })
    expect(await loginResult({ iat: undefined, exp: now + 6 })).toEqual(invalid(early))
    clock.advance(1000)
    expect((await loginResult({ iat: undefined, exp: now + 6 })).status).toBe(200)
  })

  test('the configuration chooses among algorithms', async () => {
    const rsa = await createSigner('RS256')
    const keys = { jwt_validation_pubkeys: [issuer.pem, rsa.pem], jwt_supported_algs: 'RS256' }
    const { login } = await jwtServer({}, keys)
    expect((await login(await rsa.sign(validClaims))).status).toBe(200)
    expect(statusAndBody(await login(await issuer.sign(validClaims)))).toEqual(
      invalid('invalid algorithm (alg) header parameter: token signed with unexpected algorithm'),
    )
  })

  test('a login passes if and only if each of its claims passes', () => {
    const at = fc.integer({ min: now - 300, max: now + 300 })
    const optionally = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
    const leeway = fc.integer({ min: -1, max: 200 })
    fc.assert(
      fc.property(
        fc.record({
          iss: optionally(fc.constantFrom('me', 'you')),
          sub: optionally(fc.constantFrom('ada', 'eve')),
          aud: optionally(fc.subarray(['here', 'there', 'nowhere'])),
          exp: optionally(at),
          nbf: optionally(at),
          iat: optionally(at),
        }),
        fc.record({
          issuer: fc.constantFrom('', 'me'),
          subject: fc.constantFrom('', 'ada'),
          audiences: fc.subarray(['here', 'there']),
          expirationLeeway: leeway,
          notBeforeLeeway: leeway,
          clockSkewLeeway: leeway,
        }),
        (claims, requested) => {
          const expected: ExpectedClaims = {
            ...requested,
            algorithms: ['ES256'],
            requiresTimeClaim: true,
          }
          const provided = JSON.parse(JSON.stringify(claims))
          const problem = claimProblem('ES256', provided, expected, now * 1000)
          const skew = requested.clockSkewLeeway === 0 ? 60 : Math.max(requested.clockSkewLeeway, 0)
          const { iat, exp, nbf, aud = [] } = claims
          const dated = [iat, exp, nbf].some((each) => each !== undefined)
          const mustPass = [
            requested.issuer === '' || claims.iss === requested.issuer,
            requested.subject === '' || claims.sub === requested.subject,
            requested.audiences.length === 0 ||
              requested.audiences.some((each) => aud.includes(each)),
            dated,
            nbf === undefined || nbf <= now + skew,
            exp === undefined || exp >= now - skew,
            iat === undefined || iat <= now + skew,
          ]
          const hasAllTimes = iat !== undefined && exp !== undefined && nbf !== undefined
          if (mustPass.includes(false)) expect(problem).toBeDefined()
          else if (hasAllTimes) expect(problem).toBeUndefined()
          else if (problem !== undefined) expect([early, expired]).toContain(renderMessage(problem))
        },
      ),
      { numRuns: 500 },
    )
  })
})
