-- The second wall, as for every table of a tenant.
ALTER TABLE agent_names ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_names FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON agent_names USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
