import type { FastifyReply, FastifyRequest } from 'fastify'
import { providerAtPath } from '../../../state/secrets/jwt/local-provider.ts'
import { answerLoginPage } from '../../../state/secrets/oidc/login-page.ts'
import { escapeHtml, worldOf } from '../../http/journal-hooks/request-head.ts'

const pagePath = /^\/ui\/[^/]+\/(.*identity\/oidc\/provider\/[^/]+)\/authorize$/

const htmlType = 'text/html; charset=utf-8'

/** Returns a page with a button for each entity, which sends the same request again. */
function choicePage(names: readonly string[]): string {
  const buttons = names.map(
    (name) => `<button name="entity" value="${escapeHtml(name)}">${escapeHtml(name)}</button>`,
  )
  return `<!doctype html>
<html lang="en">
<title>Log in</title>
<p>Which entity logs in?</p>
<form method="post">
${buttons.join('\n')}
</form>
</html>
`
}

/** Returns whether a request of a browser is for the page of a provider for logins. */
export function isLoginPage({ url }: FastifyRequest): boolean {
  return pagePath.test(url.split('?', 1)[0] ?? '')
}

/** Answers a request for the page of a provider for logins (behaviour/secrets#oidc-login). */
export async function serveLoginPage(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const [path = '', search = ''] = request.url.split('?', 2)
  const providerPath = pagePath.exec(path)?.[1] ?? ''
  const world = worldOf(request)
  const parameters = new URLSearchParams(search)
  const isChosen = request.method === 'POST' && typeof request.body === 'string'
  const form = new URLSearchParams(isChosen ? String(request.body) : '')
  const value = (name: string) => parameters.get(name) ?? ''
  const answer = await world.request(() => {
    const provider = providerAtPath(world, providerPath, request.worldOrigin)
    if (provider === undefined) return undefined
    const { max_age, code_challenge } = Object.fromEntries(parameters)
    const asked = {
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
    return answerLoginPage(world, provider.place, asked, value('state'), form.get('entity') ?? '')
  })
  if (answer === undefined) return void reply.code(404).type(htmlType).send('')
  reply.header('cache-control', 'no-store')
  if (answer.kind === 'redirect')
    return void reply.code(302).header('location', answer.location).send()
  if (answer.kind === 'refused') {
    return reply
      .code(400)
      .type(htmlType)
      .send(`<!doctype html>\n<p>${escapeHtml(answer.why)}</p>\n`)
  }
  const names = answer.entities.map(({ name }) => name)
  void reply.type(htmlType).send(choicePage(names))
}
