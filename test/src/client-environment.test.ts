import { describe, expect, test } from 'vitest'
import { additionalVariables, isolatedEnvironment } from '../../src/client-environment.ts'

const environment = {
  UNDERSTUDY_URL: 'http://127.0.0.1:4600',
  VAULT_ADDR: 'http://127.0.0.1:4601',
  VAULT_TOKEN: 'root',
}

/** Environment of a caller whose variables name real servers. */
const caller = {
  HOME: '/home/ada',
  VAULT_ADDR: 'https://vault.example.test',
  VAULT_AGENT_ADDR: 'https://agent.example.test',
  BAO_NAMESPACE: 'team',
  CONSUL_HTTP_SSL: 'true',
  NOMAD_REGION: 'eu',
  TFE_TOKEN: 't',
  TF_CLOUD_ORGANIZATION: 'o',
  TF_TOKEN_app_terraform_io: 't',
  TF_CLI_CONFIG_FILE: '/home/ada/.terraformrc',
  TF_HTTP_ADDRESS: 'https://state.example.test',
  TF_A_VARIABLE_OF_TOMORROW: 'x',
  TF_LOG: 'debug',
  TF_VAR_region: 'eu',
  vault_skip_verify: '1',
  VAULT_A_VARIABLE_OF_TOMORROW: 'x',
}

describe('behaviour/program#commands: the environment of a command', () => {
  // choice/process#hidden-variables
  test('has no variable of the caller that might choose another server', () => {
    const { env, hidden } = isolatedEnvironment(caller, environment)
    expect(env).toEqual({
      HOME: '/home/ada',
      TF_LOG: 'debug',
      TF_VAR_region: 'eu',
      ...environment,
      NO_PROXY: 'localhost,127.0.0.1,::1',
      no_proxy: 'localhost,127.0.0.1,::1',
    })
    expect(hidden).toEqual([
      'BAO_NAMESPACE',
      'CONSUL_HTTP_SSL',
      'NOMAD_REGION',
      'TFE_TOKEN',
      'TF_A_VARIABLE_OF_TOMORROW',
      'TF_CLI_CONFIG_FILE',
      'TF_CLOUD_ORGANIZATION',
      'TF_HTTP_ADDRESS',
      'TF_TOKEN_app_terraform_io',
      'VAULT_AGENT_ADDR',
      'VAULT_A_VARIABLE_OF_TOMORROW',
      'vault_skip_verify',
    ])
  })

  test('keeps the server out of proxies and keeps the exceptions of the caller', () => {
    const proxied = {
      HTTPS_PROXY: 'http://proxy.test',
      NO_PROXY: 'a.test, 127.0.0.1',
      no_proxy: '*',
    }
    const remote = { UNDERSTUDY_URL: 'http://understudy:4600' }
    expect(isolatedEnvironment(proxied, remote).env).toEqual({
      HTTPS_PROXY: 'http://proxy.test',
      NO_PROXY: 'a.test,127.0.0.1,localhost,::1,understudy',
      no_proxy: '*',
      ...remote,
    })
  })

  test('of fixtures has empty values for hidden variables, which clients take as unset', () => {
    const added = additionalVariables({ ...caller, https_proxy: 'http://proxy.test' }, environment)
    expect(added).toMatchObject({ ...environment, VAULT_AGENT_ADDR: '', NOMAD_REGION: '' })
    expect(added['NO_PROXY']).toBe('localhost,127.0.0.1,::1')
    expect(added).not.toHaveProperty('HOME')
    expect(additionalVariables({ HOME: '/' }, environment)).toEqual(environment)
  })
})
