-- The second wall, as for every table of a tenant.
ALTER TABLE usage_totals ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_totals FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON usage_totals USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
