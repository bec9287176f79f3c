/** Tests of the platform client's own suite that are in scope, by name prefix. */
const inScope = [
  // behaviour/platform#test-runs, behaviour/platform#variables and behaviour/platform#settings
  'TestRuns.*',
  'TestVariables.*',
  'AdminSettings_(General|CostEstimation|Customization|SAML|SMTP|Twilio).*',
  // Section 3. Other tests of configuration versions need runs.
  'ConfigurationVersions(Archive|Create|Download|List|Read|Upload|UploadTarGzip)',
  // Section 5.2
  'Organizations(Create|Delete|List)',
  'Teams(Create|Delete|List|Update|UpdateAccessSecretTeams|UpdateManage.*)',
  'TeamMembers(AddByUsername|List|RemoveByUsernames)',
  'TeamTokens(Create|Delete|DeleteByID|List|Read|ReadByID)',
  'TeamTokens_CreateWithOptions',
  'OrganizationTokens(Create|Delete|Read)',
  'UserTokens_.*',
  'OAuthClients(Create|Create_rsaKeyPair|Delete|List|Read|ReadWithOptions|Update)',
  'OAuthTokens(Delete|Read)',
  'RegistryModules(Create|CreateVersion|List|Read|ShowVersion|Upload|UploadTarGzip)',
  'RegistryModulesDelete(|ByName|Provider|Version)',
  'RegistryModulesCreateBranchBasedWithVCSConnection.*',
  // Section 5.4
  'Workspaces(Delete|DeleteByID|ForceUnlock|Lock|ReadByID|ReadSource)',
  'Workspaces_(AddTags|RemoveTags)',
]

/** Pattern for `go test -run`. */
export const platformSuite = `^Test(${inScope.join('|')})$`
