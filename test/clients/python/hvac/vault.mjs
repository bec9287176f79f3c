// The command `vault` for hvac's own test suite: `server -config=FILE` starts the built server as a
// node that is not initialised, and other words are those of the small command of the image.
import { readFileSync } from 'node:fs'

const project = new URL('../../../../', import.meta.url)
const words = process.argv.slice(2)

/** People of the directories that the suite's own mock servers have. */
const directory = {
  ldap: {
    binders: { 'cn=admin,dc=hvac,dc=network': 'notaverygoodpassword' },
    users: { somedude: { password: 'hvacrox', groups: ['vault-users'] } },
  },
  github: {
    organizations: { hvac: { id: 1 }, 'some-test-org': { id: 1 } },
    users: {
      'valid-token': {
        login: 'hvac-dude',
        organizations: ['hvac'],
        teams: { hvac: ['hvac-team'] },
      },
      'invalid-token': { login: 'hvac-dude' },
    },
  },
}

/** Returns the flags of this program for a configuration of the product. */
function serverFlags(file) {
  const { listener } = JSON.parse(readFileSync(file, 'utf8'))
  const { address, tls_cert_file: cert, tls_key_file: key } = listener.tcp
  const [host, port] = address.split(':')
  const secrets = { initialized: false, start: 'bare', jwtFetch: 'loopback', directory }
  return [
    'start',
    '--dialect=vendor',
    '--log-level=error',
    `--host=${host}`,
    '--port=0',
    `--secrets-port=${port}`,
    `--tls-cert=${cert}`,
    `--tls-key=${key}`,
    `--options=${JSON.stringify({ secrets })}`,
    ...(process.env.UNDERSTUDY_HVAC_CLOCK ? [`--clock=${process.env.UNDERSTUDY_HVAC_CLOCK}`] : []),
  ]
}

if (words[0] === '-version') console.log('Vault v1.14.0')
else {
  const isServer = words[0] === 'server'
  const flags = isServer ? serverFlags(words[1].replace('-config=', '')) : ['as', 'vault', ...words]
  process.argv.splice(2, words.length, ...flags)
  await import(new URL('dist/src/cli.js', project))
}
