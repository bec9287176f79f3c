import { createUnderstudy } from '../../src/index.ts'
import { type Finding, findDifferences } from './find.ts'
import { httpTarget } from './http-target.ts'
import { knownSecretsDifferences } from './known-differences.ts'
import { showRequest } from './request.ts'
import { aroundSecrets, secretsSequences } from './secrets-requests.ts'

/** Looks like what answers are cleared of. */
const rootToken = 's.oraclesOwnRootTokenForIt'

/**
 * Compares the mock with a server of the secrets API at `ORACLE_SECRETS_URL`, whose root token is
 * `ORACLE_SECRETS_TOKEN`: `npm run oracle`. `ORACLE_SEED`, `ORACLE_RUNS` and `ORACLE_MOST` say which
 * sequences, how many of them for each finding, and how many findings are enough;
 * `ORACLE_SECRETS_WORDS` is JSON of the server's words by the vendor's.
 */
async function main(env: NodeJS.ProcessEnv): Promise<number> {
  const { ORACLE_SECRETS_URL: url, ORACLE_SECRETS_TOKEN: token } = env
  if (url === undefined || token === undefined) {
    console.error('npm run oracle needs ORACLE_SECRETS_URL and ORACLE_SECRETS_TOKEN')
    return 2
  }
  const words: Record<string, string> = JSON.parse(env['ORACLE_SECRETS_WORDS'] ?? '{}')
  const mock = await createUnderstudy({
    dialect: 'vendor',
    options: { secrets: { start: 'bare', rootToken } },
  })
  const mockUrl = await mock.listen()
  try {
    const seed = Number(env['ORACLE_SEED'] ?? 1)
    const findings = await findDifferences({
      left: httpTarget('mock', mockUrl, rootToken),
      right: httpTarget('server', url, token, words),
      sequences: secretsSequences(),
      around: aroundSecrets,
      known: knownSecretsDifferences,
      seed,
      runs: Number(env['ORACLE_RUNS'] ?? 100),
      most: Number(env['ORACLE_MOST'] ?? 20),
      onFinding: (finding) => console.log(`${shown(finding)}\n`),
    })
    console.log(`${findings.length} kinds of differences with seed ${seed}.`)
    return findings.length === 0 ? 0 : 1
  } finally {
    await mock.close()
  }
}

function shown({ kind, requests, left, right }: Finding): string {
  const asked = requests.map((request) => `    ${showRequest(request)}`)
  return [
    kind,
    ...asked,
    `  mock:   ${JSON.stringify(left)}`,
    `  server: ${JSON.stringify(right)}`,
  ].join('\n')
}

process.exitCode = await main(process.env)
