import type { FastifyReply, FastifyRequest } from 'fastify'
import { providerAtPath } from '../../../state/secrets/jwt/local-provider.ts'
import type { AuthorizationRequest } from '../../../state/secrets/oidc/authorize.ts'
import { answerLoginPage, type LoginPageAnswer } from '../../../state/secrets/oidc/login-page.ts'
import { escapeHtml, worldOf } from '../../http/journal-hooks/request-head.ts'

const pagePath = /^\/ui\/[^/]+\/(.*identity\/oidc\/provider\/[^/]+)\/authorize$/

const htmlType = 'text/html; charset=utf-8'

/**
 * Returns an HTML page with a button for each user. A click on a button POSTs the user's name to
 * the URL of the page.
 */
function choicePage(names: readonly string[]): string {
  const buttons = names.map(
    (name) => `<button name="entity" value="${escapeHtml(name)}">${escapeHtml(name)}</button>`,
  )
  return `<!doctype html>
<html lang="en">
<title>Log in</title>
<p>Who logs in?</p>
<form method="post">
${buttons.join('\n')}
</form>
</html>
`
}

/** Returns whether the URL of a request is that of a provider's login page. */
export function isLoginPage({ url }: FastifyRequest): boolean {
  return pagePath.test(url.split('?', 1)[0] ?? '')
}

/**
 * The parameters of a login page: the client's authorization request, its state, and the name of
 * the chosen user.
 */
type LoginPageCall = readonly [AuthorizationRequest, state: string, chosen: string]

/**
 * Parses the parameters of a login page. The chosen user comes from the POST body, and the other
 * parameters come from the query.
 */
export function loginPageCall({ url, method, body }: FastifyRequest): LoginPageCall {
  const parameters = new URLSearchParams(url.split('?', 2)[1] ?? '')
  const form = new URLSearchParams(method === 'POST' && typeof body === 'string' ? body : '')
  const value = (name: string) => parameters.get(name) ?? ''
  const { max_age, code_challenge } = Object.fromEntries(parameters)
  const request = {
    client_id: value('client_id'),
    redirect_uri: value('redirect_uri'),
    response_type: value('response_type'),
    scope: value('scope'),
    nonce: value('nonce'),
    code_challenge_method: value('code_challenge_method'),
    code_challenge,
    max_age: max_age === undefined ? undefined : Number(max_age),
    hasRequest: parameters.has('request'),
    hasRequestUri: parameters.has('request_uri'),
  }
  return [request, value('state'), form.get('entity') ?? '']
}

/** Answers a request for the login page of a provider (behaviour/secrets#oidc-login). */
export async function serveLoginPage(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const providerPath = pagePath.exec(request.url.split('?', 1)[0] ?? '')?.[1] ?? ''
  const world = worldOf(request)
  const answer = await world.request(() => {
    const provider = providerAtPath(world, providerPath, request.worldOrigin)
    return provider && answerLoginPage(world, provider.context, ...loginPageCall(request))
  })
  sendLoginPage(reply, answer)
}

/**
 * Sends the answer of a login page: the page, a redirect, or 400 with the reason of a refusal.
 * Sends 404 if there is no answer.
 */
export function sendLoginPage(reply: FastifyReply, answer: LoginPageAnswer | undefined): void {
  if (answer === undefined) return void reply.code(404).type(htmlType).send('')
  reply.header('cache-control', 'no-store')
  if (answer.kind === 'redirect') {
    return void reply.code(302).header('location', answer.location).send()
  }
  if (answer.kind === 'refused') {
    const page = `<!doctype html>\n<p>${escapeHtml(answer.why)}</p>\n`
    return void reply.code(400).type(htmlType).send(page)
  }
  void reply.type(htmlType).send(choicePage(answer.names))
}
