-- The second wall, as for every table of a tenant.
ALTER TABLE gateway_upstreams ENABLE ROW LEVEL SECURITY;
ALTER TABLE gateway_upstreams FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON gateway_upstreams USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
