import { textAt } from './real-server.ts'
import {
  Asked,
  CallFailure,
  fileOrInput,
  flagOf,
  goCall,
  type StandInCall,
  textFor,
} from './stand-in-call.ts'

/** Plays the commands of `consul` that set a server up; returns what it prints. */
export async function standInConsul(call: StandInCall): Promise<string> {
  const { argv, env } = call
  const given = goCall(argv.slice(2))
  const [key = '', value = ''] = given.words
  const server = new Asked(env['CONSUL_HTTP_ADDR'] || '127.0.0.1:8500', {
    'X-Consul-Token': flagOf(given, 'token') ?? env['CONSUL_HTTP_TOKEN'],
  })
  const path = `kv/${key.split('/').map(encodeURIComponent).join('/')}`
  switch (argv.slice(0, 2).join(' ')) {
    case 'kv put':
      await server.send('PUT', path, textFor(value, call))
      return `Success! Data written to: ${key}\n`
    case 'kv get': {
      const { value: told } = await server.send('GET', path)
      const [entry]: unknown[] = Array.isArray(told) ? told : []
      return `${Buffer.from(textAt(entry, 'Value'), 'base64')}\n`
    }
    case 'kv delete':
      await server.send('DELETE', path)
      return `Success! Deleted key: ${key}\n`
    case 'acl bootstrap': {
      const { value: made } = await server.send('PUT', 'acl/bootstrap')
      return tokenText(made)
    }
  }
  throw new CallFailure(
    `consul ${argv.slice(0, 2).join(' ')} is not supported here; supported are kv put, kv get, kv delete, acl bootstrap`,
  )
}

function tokenText(token: unknown): string {
  return ['AccessorID', 'SecretID', 'Description']
    .map((name) => `${`${name}:`.padEnd(18)}${textAt(token, name)}\n`)
    .join('')
}

/** Plays the commands of `nomad` that set a server up; returns what it prints. */
export async function standInNomad(call: StandInCall): Promise<string> {
  const { argv, env } = call
  const given = goCall(argv.slice(2), ['detach', 'json'])
  const [word = ''] = given.words
  const server = new Asked(env['NOMAD_ADDR'] || 'http://127.0.0.1:4646', {
    'X-Nomad-Token': flagOf(given, 'token') ?? env['NOMAD_TOKEN'],
  })
  switch (argv.slice(0, 2).join(' ')) {
    case 'job run': {
      const text = fileOrInput(word, call)
      const body = { JobHCL: text, Canonicalize: true }
      const job = /^\s*\{/.test(text)
        ? jobIn(text)
        : (await server.send('POST', 'jobs/parse', body)).value
      const namespace = flagOf(given, 'namespace') ?? env['NOMAD_NAMESPACE'] ?? ''
      const query = namespace === '' ? '' : `?namespace=${encodeURIComponent(namespace)}`
      const { value } = await server.send('POST', `jobs${query}`, { Job: job })
      return `Job registration successful\nEvaluation ID: ${textAt(value, 'EvalID')}\n`
    }
    case 'namespace apply': {
      const Description = flagOf(given, 'description') ?? ''
      await server.send('POST', 'namespace', { Name: word, Description })
      return `Successfully applied namespace "${word}"!\n`
    }
    case 'acl bootstrap':
      return tokenText((await server.send('POST', 'acl/bootstrap')).value)
  }
  throw new CallFailure(
    `nomad ${argv.slice(0, 2).join(' ')} is not supported here; supported are job run, namespace apply, acl bootstrap`,
  )
}

function jobIn(text: string): unknown {
  try {
    const job: unknown = JSON.parse(text)
    return typeof job === 'object' && job !== null && 'Job' in job ? job.Job : job
  } catch {
    throw new CallFailure('the job is not valid JSON')
  }
}
