import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { openIdScope } from '../../../state/secrets/oidc/providers.ts'
import {
  answerIssuerPage,
  exchangeAtIssuer,
  issuerAddress,
  issuerKeySet,
  type SimulatedIssuer,
  simulatedIssuerAt,
  userInfoAtIssuer,
} from '../../../state/secrets/oidc/simulated-issuers.ts'
import { worldOf } from '../../http/journal-hooks/request-head.ts'
import { loginPageCall, sendLoginPage } from './login-page.ts'
import { basicCredentials } from './provider.ts'

interface IssuerReply {
  readonly status: number
  readonly body: object
}

type IssuerCall = (world: World, issuer: SimulatedIssuer, request: FastifyRequest) => object

/** The endpoints of a simulated issuer, by method and by path relative to the issuer's URL. */
const endpoints: Readonly<Record<string, IssuerCall>> = {
  'GET .well-known/openid-configuration': describeIssuer,
  'GET keys': issuerKeySet,
  'POST token': exchange,
  'GET userinfo': userInfo,
  'POST userinfo': userInfo,
}

function describeIssuer(_world: World, issuer: SimulatedIssuer, request: FastifyRequest): object {
  const address = issuerAddress(issuer, request.worldOrigin)
  return {
    issuer: issuer.url,
    authorization_endpoint: `${address}/authorize`,
    token_endpoint: `${address}/token`,
    userinfo_endpoint: `${address}/userinfo`,
    jwks_uri: `${address}/keys`,
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code'],
    scopes_supported: [openIdScope, ...(issuer.settings.scopes ?? [])],
    subject_types_supported: ['public'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  }
}

function exchange(world: World, issuer: SimulatedIssuer, request: FastifyRequest): object {
  const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
  const value = (name: string) => form.get(name) ?? ''
  const [id, secret] = basicCredentials(request.headers.authorization) ?? []
  return exchangeAtIssuer(world, issuer, {
    client_id: id ?? value('client_id'),
    client_secret: secret ?? value('client_secret'),
    grant_type: value('grant_type'),
    code: value('code'),
    redirect_uri: value('redirect_uri'),
    code_verifier: value('code_verifier'),
  })
}

function userInfo(world: World, issuer: SimulatedIssuer, { headers }: FastifyRequest): object {
  const [, bearer = ''] = /^bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  return userInfoAtIssuer(world, issuer, bearer)
}

/** OAuth error codes whose status is 401. All other error codes have the status 400. */
const unauthorizedErrors = ['invalid_client', 'invalid_token']

function failureReply(failure: unknown): IssuerReply {
  if (!(failure instanceof Refusal)) throw failure
  const error = String(failure.detail['oauth'] ?? 'server_error')
  const status = unauthorizedErrors.includes(error) ? 401 : 400
  return { status, body: { error, error_description: failure.message } }
}

/** Answers requests to simulated issuers (behaviour/secrets#oidc-issuers). */
export async function serveIssuer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { issuer: position = '', '*': path = '' } = request.params as Record<string, string>
  const world = worldOf(request)
  if (path === 'authorize') {
    const page = await world.request(() => {
      const issuer = simulatedIssuerAt(world, position)
      return issuer && answerIssuerPage(world, issuer, ...loginPageCall(request))
    })
    return sendLoginPage(reply, page)
  }
  const endpoint = endpoints[`${request.method} ${path}`]
  const { status, body } = await world.request((): IssuerReply => {
    const issuer = simulatedIssuerAt(world, position)
    if (issuer === undefined || endpoint === undefined) return { status: 404, body: {} }
    try {
      return { status: 200, body: endpoint(world, issuer, request) }
    } catch (failure) {
      return failureReply(failure)
    }
  })
  void reply.code(status).type('application/json').send(JSON.stringify(body))
}
