// A real authorization server on loopback. Whoever comes is signed in; consent is given unless the test says otherwise.
// The first argument is the folder of its packages. The address is printed. POST /control changes how it behaves, makes
// it forget the tokens of a kind, and tells what it has seen.
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const load = createRequire(`${process.argv[2]}/`);
const { default: Provider } = await import(pathToFileURL(load.resolve("oidc-provider")).href);

const control = { deny: false, access: 3600, refresh: 86400, account: "ada", pkce: true };
const seen = { registrations: 0, refreshes: 0, revocations: 0, authorizations: [], secrets: [] };
const saved = { access: [], refresh: [] };

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: "resource", client_secret: "resource-secret", redirect_uris: [], response_types: [], grant_types: [] },
      {
        client_id: "known-client",
        client_secret: "known-client-secret",
        application_type: "native",
        redirect_uris: ["http://127.0.0.1:8765/oauth/callback"],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    scopes: ["openid", "offline_access", "tools"],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
    ttl: {
      AccessToken: () => control.access,
      RefreshToken: () => control.refresh,
      AuthorizationCode: 60,
      Grant: 86400,
      Interaction: 600,
      Session: 86400,
    },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: () => true },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({ scope: "tools", audience: resource, accessTokenFormat: "opaque" }),
      },
    },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ["one"] },
  });
  provider.on("access_token.saved", (token) => saved.access.push(token));
  provider.on("refresh_token.saved", (token) => saved.refresh.push(token));
  provider.use(async (ctx, next) => {
    if (ctx.path === "/control") return answer(ctx);
    if (ctx.path.startsWith("/interaction/")) return interact(provider, ctx);
    if (ctx.path === "/auth") seen.authorizations.push(ctx.query);
    if (ctx.path === "/reg") seen.registrations += 1;
    if (ctx.path === "/token/revocation") seen.revocations += 1;
    await next();
    if (ctx.path.startsWith("/.well-known/") && !control.pkce) delete ctx.body.code_challenge_methods_supported;
    if (ctx.path === "/token" && ctx.body) seen.secrets.push(ctx.body.access_token, ctx.body.refresh_token);
    if (ctx.path === "/reg" && ctx.body) seen.secrets.push(ctx.body.client_secret);
    if (ctx.path === "/token" && ctx.oidc?.params?.grant_type === "refresh_token") seen.refreshes += 1;
  });
  server.on("request", provider.callback());
  console.log(issuer);
});

async function answer(ctx) {
  let text = "";
  for await (const chunk of ctx.req) text += chunk;
  const { destroy = [], ...changed } = text ? JSON.parse(text) : {};
  Object.assign(control, changed);
  for (const kind of destroy) {
    for (const token of saved[kind].splice(0)) await token.destroy();
  }
  ctx.body = seen;
}

async function interact(provider, ctx) {
  const { req, res } = ctx;
  ctx.respond = false;
  const { prompt, params, grantId } = await provider.interactionDetails(req, res);
  if (control.deny) {
    const denied = { error: "access_denied", error_description: "The person said no." };
    return provider.interactionFinished(req, res, denied, { mergeWithLastSubmission: false });
  }
  if (prompt.name === "login") {
    return provider.interactionFinished(req, res, { login: { accountId: control.account } });
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: control.account, clientId: params.client_id });
  grant.addOIDCScope("openid offline_access tools");
  if (params.resource) grant.addResourceScope(params.resource, "tools");
  return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
}
