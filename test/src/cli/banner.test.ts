import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/cli/config.ts'
import { bannerText, startServer } from '../../../src/cli/server.ts'

async function bannerOf(...argv: string[]) {
  const config = await readConfig([...argv, '--log-level=silent'], {}, false)
  if (!('command' in config)) throw new Error('expected a configuration')
  const server = await startServer(config)
  try {
    return { text: await server.banner(), env: server.env }
  } finally {
    await server.close()
  }
}

describe('behaviour/program#command: lines for people at a terminal', () => {
  test('addresses, tokens, and variables to copy', async () => {
    const { text, env } = await bannerOf('--port=0', '--secrets-port=0', '--dialect=vendor')
    const { VAULT_ADDR, CONSUL_HTTP_ADDR, CONSUL_HTTP_TOKEN } = env
    const lines = text.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '))
    expect(lines).toContain(`secrets  Vault, OpenBao  ${VAULT_ADDR}  token root`)
    expect(lines).toContain(`control  /_mock  ${env['UNDERSTUDY_CONTROL_URL']}`)
    expect(lines).toContain(`export VAULT_ADDR=${VAULT_ADDR} VAULT_TOKEN=root`)
    expect(lines).toContain(
      `export CONSUL_HTTP_ADDR=${CONSUL_HTTP_ADDR} CONSUL_HTTP_TOKEN=${CONSUL_HTTP_TOKEN}`,
    )
    expect(text).not.toContain('export UNDERSTUDY')
  })

  test('in the neutral dialect the banner says that clients need the vendor dialect', async () => {
    const { text } = await bannerOf('--port=0')
    expect(text).not.toContain('export')
    expect(text).toContain("The products' own clients need --vendor, or --dialect vendor.\n")
  })

  test('values that a shell would read are quoted; the inspector is named where there is one', () => {
    const text = bannerText({ VAULT_TOKEN: "a'b" }, 'vendor', 'http://a/_mock/ui')
    expect(text).toContain("export VAULT_TOKEN='a'\\''b'\n")
    expect(text).toMatch(/^inspector +http:\/\/a\/_mock\/ui$/m)
    expect(bannerText({}, 'neutral')).not.toContain('inspector')
  })
})
